package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.ConditionalWrites;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.testing.history.RegisterHistory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Conditional writes and reads of the latest value are linearizable while the leadership changes,
 * including those of clients of a deposed leader that does not know it yet.
 */
final class ReplicasLinearizabilityTest extends ThreeReplicas {
  private static final int CLIENTS = 6;
  private static final int REGISTERS = 3;

  /** The number of operations answered between two faults, and while the old leader is away. */
  private static final int ENOUGH = 150;

  /** The pause of each client: the history must be checkable in seconds. */
  private static final long PAUSE_NANOS = 500_000;

  /** The fault of the leader until another one leads. */
  private enum Fault {
    CUT_OFF,
    /** It receives nothing. */
    DEAF,
    /** Its messages are lost. */
    MUTE,
    /** Its threads pause at their next message and continue later. */
    FROZEN
  }

  /** Clocks of nodes may differ: a new leader's may be behind. */
  private static final Map<String, Duration> AHEAD =
      Map.of("a", Duration.ofSeconds(2), "b", Duration.ZERO, "c", Duration.ofSeconds(-2));

  private final Set<String> deaf = ConcurrentHashMap.newKeySet();
  private final Set<String> mute = ConcurrentHashMap.newKeySet();
  private final Map<String, CountDownLatch> frozen = new ConcurrentHashMap<>();
  private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
  private volatile boolean isEnd;

  @Override
  StoreOptions options(String node) {
    InstantSource skewed =
        () -> InstantSource.system().instant().plus(Objects.requireNonNull(AHEAD.get(node)));
    return OPTIONS.withClock(skewed);
  }

  @Override
  void pass(String from, String to, ReplicaMessage message) {
    CountDownLatch thaw = frozen.get(from);
    if (thaw != null) {
      await(thaw);
    }
    if (!mute.contains(from) && !deaf.contains(to)) {
      super.pass(from, to, message);
    }
  }

  private void inflict(Fault fault, String node) {
    switch (fault) {
      case CUT_OFF -> cutOff.add(node);
      case DEAF -> deaf.add(node);
      case MUTE -> mute.add(node);
      case FROZEN -> frozen.put(node, new CountDownLatch(1));
    }
  }

  private void heal() {
    cutOff.clear();
    deaf.clear();
    mute.clear();
    List<CountDownLatch> thaws = List.copyOf(frozen.values());
    frozen.clear();
    thaws.forEach(CountDownLatch::countDown);
  }

  @Override
  void close() {
    isEnd = true;
    heal();
    super.close();
    clients.shutdownNow();
  }

  private static RegisterKey<Long> key(int round, int register) {
    return Key.register("registers", round + "/" + register, Codec.int64());
  }

  private static long value(RegisterKey<Long> key, Optional<Version> version, VectorClock at) {
    return version.map(found -> key.view(found.state(), at).orElse(0L)).orElse(0L);
  }

  private static long readLatest(Partition partition, RegisterKey<Long> key) {
    VectorClock at = partition.present(key.id());
    return value(key, partition.versionAt(key.id(), at), at);
  }

  /** Returns the value found; it has written if that was the expected one. */
  private static long writeIf(
      Partition partition, RegisterKey<Long> key, long expected, long written) {
    long[] found = new long[1];
    ConditionalWrites.Outcome outcome =
        partition.writeIf(
            VectorClock.ZERO,
            List.of(key.id()),
            latest -> {
              Optional<Version> version = Optional.ofNullable(latest.versions().get(key.id()));
              found[0] = value(key, version, latest.at());
              Object state = version.map(Version::state).orElse(key.type().initial());
              return found[0] == expected
                  ? Optional.of(
                      CommitRequest.of(
                          part(key.assign(written), state, latest.at()),
                          TransactionMetadata.none()))
                  : Optional.empty();
            });
    assertThat(outcome.isWritten()).isEqualTo(found[0] == expected);
    return found[0];
  }

  /**
   * Every other client belongs to one node and writes while that leads, so that it does not wait
   * for an old leader before it writes at a new one. The others stay with a leader until it no
   * longer answers; they only read, or write on conditions that never hold. Each uses one register,
   * as a register with a write that waits for a majority would block all of them.
   */
  private final class Client {
    private final int number;
    private final boolean isReader;
    private final int round;
    private final RegisterHistory history;
    private final Random random;
    private final long[] last = new long[REGISTERS];
    private Node node;
    private long written;

    Client(int round, int number, RegisterHistory history) {
      this.number = number;
      this.isReader = number % 2 == 0;
      this.round = round;
      this.history = history;
      this.random = new Random(number);
      this.node = node(NAMES.get(number / 2));
      this.written = (number + 1) * 1_000_000_000L;
    }

    void work() {
      while (!isEnd) {
        LockSupport.parkNanos(PAUSE_NANOS);
        Partition leading = node.leading;
        boolean isDone = leading != null && tryNext(leading);
        if (isReader && !isDone) {
          node = node(NAMES.get(random.nextInt(NAMES.size())));
        }
      }
    }

    private boolean tryNext(Partition leading) {
      int register = isReader ? number / 2 : random.nextInt(REGISTERS);
      RegisterKey<Long> key = key(round, register);
      long before = last[register];
      try {
        if (random.nextBoolean()) {
          last[register] = history.read(register, () -> readLatest(leading, key));
        } else {
          long next = ++written;
          long expected = isReader ? next : before;
          long found =
              history.writeIf(
                  register, expected, next, () -> writeIf(leading, key, expected, next));
          last[register] = found == expected ? next : found;
        }
        return true;
      } catch (StablecutException e) {
        // It no longer leads, or was closed.
        return false;
      }
    }
  }

  /** The leader with the greatest epoch. */
  @CanIgnoreReturnValue
  private Node newestLeader(long above) {
    until("a replica leads in a later epoch", () -> newest(above).isPresent());
    return newest(above).orElseGet(() -> newestLeader(above));
  }

  private Optional<Node> newest(long above) {
    return nodes.values().stream()
        .filter(node -> node.leading != null && epoch(node) > above)
        .findAny();
  }

  private static long epoch(Node node) {
    return node.replica.status().configuration().epoch();
  }

  private static void awaitMore(RegisterHistory history) {
    int before = history.answered();
    until("clients are answered", () -> history.answered() >= before + ENOUGH);
  }

  /** Returns the number of writes with an unknown outcome. */
  @CanIgnoreReturnValue
  private long failOver(int round, List<Fault> faults) throws Exception {
    isEnd = false;
    RegisterHistory history = new RegisterHistory(REGISTERS);
    List<Future<?>> working = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      working.add(clients.submit(new Client(round, i, history)::work));
    }
    for (Fault fault : faults) {
      Node before = newestLeader(0);
      awaitMore(history);
      inflict(fault, before.name);
      long deposed = epoch(before);
      newestLeader(deposed);
      awaitMore(history);
      heal();
      until(
          "the old one follows: " + fault,
          () ->
              epoch(before) > deposed
                  && (before.leading != null
                      || before.replica.status().role() == Replica.Role.FOLLOWING));
    }
    awaitMore(history);
    isEnd = true;
    for (Future<?> client : working) {
      client.get();
    }
    assertThat(history.violation()).as("%s in round %d", faults, round).isEmpty();
    System.out.printf(
        "%s: %,d operations, %,d writes with an unknown outcome%n",
        faults, history.answered(), history.open());
    return history.open();
  }

  @Test
  void answersAreLinearizableDuringAFailover() throws Exception {
    startAll();

    long open = failOver(0, List.of(Fault.values()));

    assertThat(open).isPositive();
  }

  @Test
  @Tag("long")
  void answersAreLinearizableDuringManyFailovers() throws Exception {
    startAll();
    Random random = new Random();
    Fault[] all = Fault.values();
    for (int round = 1; round <= 25; round++) {
      List<Fault> faults = random.ints(4, 0, all.length).mapToObj(i -> all[i]).toList();
      failOver(round, faults);
    }
  }
}
