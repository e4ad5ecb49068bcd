package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.stream.StreamFold;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.SetKey;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamView;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The objects that a {@link Simulation}'s transactions read and write. An <em>object</em> is a set,
 * a counter, a resettable counter, a bounded one and a stream; each transaction that writes the
 * object writes each of them. An entry at a position of a stream stays there once a reader has seen
 * it: no version is folded past an undecided transaction. A <em>name</em> has no type before a
 * transaction has assigned it something of a kind. Confined to one thread.
 */
final class SimulatedObjects {
  /** The number of types that a name may get. */
  static final int KINDS = 3;

  private static final StreamFold<List<Long>> CALLS =
      new StreamFold<>() {
        @Override
        public List<Long> begin(Optional<Bytes> summary) {
          return List.of();
        }

        @Override
        public List<Long> next(List<Long> made, Bytes entry) {
          return Stream.concat(made.stream(), Stream.of(Codec.int64().decode(entry))).toList();
        }
      };

  private final Random random;
  private final SimulatedProcesses processes;
  private final Codec<Long> codec;

  /** The observed entries of each object's stream. */
  private final Map<Integer, List<Long>> streams = new HashMap<>();

  /** Whether transactions take from bounded counters, which makes them conflict. */
  private final boolean hasRefusals;

  SimulatedObjects(Random random, SimulatedProcesses processes, SimulatedFaults faults) {
    this.random = random;
    this.processes = processes;
    this.hasRefusals = random.nextInt(3) == 0;
    this.codec = faults.codec(Codec.int64());
  }

  /** The partition of an object or a name. */
  static int partitionOf(int object) {
    return object % SimulatedProcesses.PARTITIONS;
  }

  private SetKey<Long> set(int object) {
    return Key.growOnlySet("set", "" + object, codec);
  }

  private static CounterKey counter(int object) {
    return Key.counter("counter", "" + object);
  }

  /** Its effects are made from states, and checkpoints prune it. */
  private static ResettableCounterKey resettable(int object) {
    return Key.resettableCounter("resettable", "" + object);
  }

  /** Its state may refuse a decrement. */
  private static BoundedCounterKey bounded(int object) {
    return Key.boundedCounter("bounded", "" + object);
  }

  private static StreamKey<Long> stream(int object) {
    return Key.stream("stream", "" + object, Codec.int64());
  }

  private List<Key<?>> keys(int object) {
    return List.of(
        set(object), counter(object), resettable(object), bounded(object), stream(object));
  }

  /** The update that a transaction makes to a name. */
  private Update given(int name, int kind) {
    String key = "" + name;
    return switch (kind) {
      case 0 -> Key.counter("name", key).increment();
      case 1 -> Key.growOnlySet("name", key, codec).add(1L);
      default -> Key.register("name", key, codec).assign(1L);
    };
  }

  /** The id that identifies an object. */
  Bytes idOf(int object) {
    return set(object).id();
  }

  /** The ids of everything that a transaction writes. */
  Set<Bytes> idsOf(SimulatedTransaction transaction) {
    Set<Bytes> ids = new HashSet<>();
    transaction.writes.forEach(object -> keys(object).forEach(key -> ids.add(key.id())));
    transaction.names.forEach((name, kind) -> ids.add(given(name, kind).key().id()));
    return ids;
  }

  /** A snapshot's view of an object; empty if it has to wait. */
  Optional<Read> read(Partition partition, int object, VectorClock snapshot) {
    if (!keys(object).stream().allMatch(key -> partition.isSettled(key.id(), snapshot))) {
      return Optional.empty();
    }
    return Optional.of(readSettled(partition::versionAt, object, snapshot));
  }

  /** A snapshot's view of an object, from where the snapshot is complete. */
  Read readSettled(VersionSource source, int object, VectorClock snapshot) {
    Set<Integer> transactions = transactionsOn(source, object, snapshot);
    checkStream(object, value(source, stream(object), snapshot), transactions);
    return new Read(
        object,
        transactions,
        value(source, counter(object), snapshot),
        value(source, resettable(object), snapshot),
        value(source, bounded(object), snapshot));
  }

  /**
   * Calls do not commute: their order and results are the same for every reader. A snapshot that
   * depends on another data centre may lack one in the middle.
   */
  private void checkStream(int object, StreamView<Long> seen, Set<Integer> transactions) {
    List<Long> entries = List.copyOf(seen.entries());
    assertThat(entries.stream().map(Long::intValue))
        .containsExactlyInAnyOrderElementsOf(transactions);
    assertThat(seen.value().fold(CALLS)).isEqualTo(entries);
    List<Long> known = streams.getOrDefault(object, List.of());
    int both = Math.min(known.size(), entries.size());
    if (processes.isAlone()) {
      assertThat(entries.subList(0, both)).isEqualTo(known.subList(0, both));
    } else {
      assertThat(entries.stream().filter(known::contains))
          .containsExactlyElementsOf(known.stream().filter(entries::contains).toList());
    }
    streams.put(object, entries.size() > known.size() ? entries : known);
  }

  /** The transactions that a snapshot sees on an object. */
  Set<Integer> transactionsOn(VersionSource source, int object, VectorClock snapshot) {
    return value(source, set(object), snapshot).stream()
        .map(Long::intValue)
        .collect(toUnmodifiableSet());
  }

  /** The type of a name that a snapshot sees; empty if it has none or has to wait. */
  Optional<Integer> typeOf(Partition partition, int name, VectorClock snapshot) {
    Bytes id = given(name, 0).key().id();
    return partition.isSettled(id, snapshot)
        ? partition.versionAt(id, snapshot).map(version -> version.type().typeId())
        : Optional.empty();
  }

  /** The type of a kind. */
  int typeOf(int kind) {
    return given(0, kind).key().type().typeId();
  }

  private static <V> V value(VersionSource source, Key<V> key, VectorClock snapshot) {
    return key.view(state(source, key, snapshot), snapshot);
  }

  private static Object state(VersionSource source, Key<?> key, VectorClock snapshot) {
    return source.versionAt(key.id(), snapshot).map(Version::state).orElseGet(key.type()::initial);
  }

  /**
   * Decides a transaction's updates of its objects, according to its reads. It neither resets nor
   * decrements what it can't read.
   */
  void decide(SimulatedTransaction transaction) {
    for (int object : transaction.writes) {
      boolean isReset = random.nextInt(3) == 0;
      boolean isTaken = hasRefusals && random.nextInt(4) > 0;
      if (isReset || isTaken) {
        Partition partition = processes.served(partitionOf(object));
        read(partition, object, transaction.snapshot)
            .ifPresent(
                read -> {
                  if (isReset) {
                    transaction.resets.put(object, read.seen());
                  }
                  if (isTaken && read.stock() > 0) {
                    transaction.takes.add(object);
                  }
                });
      }
    }
  }

  /**
   * A transaction's writes, by partition.
   *
   * @param snapshot that its operations are executed on
   * @throws OperationRefusedException if it takes more than there is
   */
  Map<Integer, CommitRequest.Part> parts(SimulatedTransaction transaction, VectorClock snapshot) {
    Parts parts = new Parts(snapshot);
    for (int object : transaction.writes) {
      parts.write(object, set(object).add((long) transaction.number));
      parts.write(object, counter(object).increment());
      parts.write(object, stream(object).append((long) transaction.number));
      parts.write(
          object,
          transaction.resets.containsKey(object)
              ? resettable(object).reset()
              : resettable(object).increment());
      parts.write(
          object,
          transaction.takes.contains(object)
              ? bounded(object).decrement(1)
              : bounded(object).increment(1));
    }
    transaction.names.forEach((name, kind) -> parts.write(name, given(name, kind)));
    transaction
        .certified()
        .forEach(object -> keys(object).forEach(key -> parts.certify(object, key)));
    return parts.all;
  }

  /** The writes that assign something to a name. */
  CommitRequest.Part gift(int name, int kind, VectorClock snapshot) {
    Parts parts = new Parts(snapshot);
    parts.write(name, given(name, kind));
    return parts.all.values().iterator().next();
  }

  /** The parts of one transaction. */
  private final class Parts {
    private final Map<Integer, CommitRequest.Part> all = new TreeMap<>();
    private final VectorClock snapshot;
    private final OperationContext context;

    Parts(VectorClock snapshot) {
      this.snapshot = snapshot;
      this.context = new OperationContext(processes.local().number(), snapshot, new SelfDots());
    }

    private CommitRequest.Part of(int object) {
      return all.computeIfAbsent(
          partitionOf(object),
          number ->
              new CommitRequest.Part(
                  processes.local().number(),
                  snapshot,
                  processes.served(number).pruneFrontier(snapshot),
                  new ArrayList<>(),
                  new HashSet<>()));
    }

    void write(int object, Update update) {
      Key<?> key = update.key();
      CrdtType<?, ?, ?, ?> type = key.type();
      Object state =
          CallTypes.needsState(type, update.operation())
              ? state(processes.served(partitionOf(object))::versionAt, key, snapshot)
              : type.initial();
      Object effect = CallTypes.downstream(type, update.operation(), state, context);
      byte[] encoded = CallTypes.encodeEffect(type, effect);
      of(object).writes().add(new ObjectWrite(key.id(), type, List.of(effect), List.of(encoded)));
      if (CallTypes.needsCertification(type, update.operation())) {
        certify(object, key);
      }
    }

    void certify(int object, Key<?> key) {
      of(object).certified().add(key.id(), Footprint.whole());
    }
  }

  /** The objects and names that a transaction writes or certifies. */
  static Set<Integer> touched(SimulatedTransaction transaction) {
    Set<Integer> touched = new TreeSet<>(transaction.writes);
    touched.addAll(transaction.certified());
    touched.addAll(transaction.names.keySet());
    return touched;
  }
}
