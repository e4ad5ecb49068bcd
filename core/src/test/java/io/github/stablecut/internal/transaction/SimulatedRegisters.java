package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.testing.history.RegisterHistory;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Conditional writes of registers in a {@link Simulation}, and reads of their latest values.
 * Confined to one thread.
 */
final class SimulatedRegisters {
  private static final int ATTEMPTS = 100;

  private final Random random;
  private final SimulatedProcesses processes;
  private final RegisterHistory history = new RegisterHistory(SimulatedProcesses.PARTITIONS);

  /** The last known value of each. */
  private final long[] known = new long[SimulatedProcesses.PARTITIONS];

  private long written;

  SimulatedRegisters(Random random, SimulatedProcesses processes) {
    this.random = random;
    this.processes = processes;
  }

  /** Why the history is not linearizable; empty if it is. */
  Optional<String> violation() {
    return history.violation();
  }

  int answered() {
    return history.answered();
  }

  /** A client reads or writes a register. */
  void use() {
    int any = random.nextInt(SimulatedProcesses.PARTITIONS);
    int number = processes.disputed().orElse(any);
    RegisterKey<Long> key = Key.register("registers", "" + number, Codec.int64());
    try {
      Partition partition = processes.served(number);
      if (random.nextInt(3) == 0) {
        known[number] = history.read(number, () -> patiently(() -> latest(partition, key)));
      } else {
        long next = ++written;
        long expected = known[number];
        long found =
            history.writeIf(
                number,
                expected,
                next,
                () -> patiently(() -> writeIf(partition, key, expected, next)));
        known[number] = found == expected ? next : found;
      }
    } catch (RuntimeException e) {
      processes.expect(e);
    }
  }

  /** Asks again while something undecided keeps the partition from answering: nothing was done. */
  private long patiently(LongSupplier question) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return question.getAsLong();
      } catch (ReadTimeoutException e) {
        processes.pause(() -> {});
      }
    }
    return question.getAsLong();
  }

  private static long value(RegisterKey<Long> key, Optional<Version> version, VectorClock at) {
    return version.map(found -> key.view(found.state(), at).orElse(0L)).orElse(0L);
  }

  private static long latest(Partition partition, RegisterKey<Long> key) {
    VectorClock at = partition.present(key.id());
    return value(key, partition.versionAt(key.id(), at), at);
  }

  /** Writes if the expected value is found; returns what is found. */
  private long writeIf(Partition partition, RegisterKey<Long> key, long expected, long next) {
    long[] found = new long[1];
    partition.writeIf(
        VectorClock.ZERO,
        List.of(key.id()),
        latest -> {
          Optional<Version> version = Optional.ofNullable(latest.versions().get(key.id()));
          found[0] = value(key, version, latest.at());
          return found[0] == expected
              ? Optional.of(write(key, next, version, latest.at()))
              : Optional.empty();
        });
    return found[0];
  }

  private CommitRequest write(
      RegisterKey<Long> key, long next, Optional<Version> version, VectorClock snapshot) {
    int dataCentre = processes.local().number();
    Object effect =
        CallTypes.downstream(
            key.type(),
            key.assign(next).operation(),
            version.map(Version::state).orElse(key.type().initial()),
            new OperationContext(dataCentre, snapshot, new SelfDots()));
    CommitRequest.ObjectWrite made =
        new CommitRequest.ObjectWrite(
            key.id(),
            key.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(key.type(), effect)));
    return CommitRequest.of(
        new CommitRequest.Part(dataCentre, snapshot, VectorClock.ZERO, List.of(made), Set.of()),
        TransactionMetadata.none());
  }
}
