package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Transaction;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Data centres of two partitions each with random clients, and the commits of all of them: the
 * oracle of what each snapshot has to show. Confined to one thread.
 */
final class SimulatedDataCentres implements AutoCloseable {
  static final int PARTITIONS = 2;
  private static final int SLOTS = 2;
  static final long ROUTING = 7;
  static final int NAMES = 2;

  private List<Key<?>> allKeys() {
    return IntStream.range(0, NAMES)
        .boxed()
        .flatMap(
            i ->
                Stream.<Key<?>>of(
                    counter(i), resettable(i), added(i), removed(i), register(i), list(i), text(i)))
        .toList();
  }

  private String name(String type, int i) {
    return (sharesNames ? "" : type) + i;
  }

  private CounterKey counter(int i) {
    return Key.counter("b", name("c", i));
  }

  ResettableCounterKey resettable(int i) {
    return Key.resettableCounter("b", name("r", i));
  }

  private AddWinsSetKey<String> added(int i) {
    return Key.addWinsSet("b", name("a", i), Codec.string());
  }

  private RemoveWinsSetKey<String> removed(int i) {
    return Key.removeWinsSet("b", name("w", i), Codec.string());
  }

  private RegisterKey<String> register(int i) {
    return Key.register("b", name("g", i), Codec.string());
  }

  private ListKey<String> list(int i) {
    return Key.list("b", name("l", i), Codec.string());
  }

  private TextKey text(int i) {
    return Key.text("b", name("t", i));
  }

  /** A data centre: a store, its disks, and its clients' open transactions. */
  final class DataCentre {
    final LocalDataCentre local;
    final List<LossyDisk> disks = new ArrayList<>();
    final List<Transaction> open = new ArrayList<>();
    final long[] tapped = new long[PARTITIONS];
    final long[] tappedThrough = new long[PARTITIONS];
    long skewMillis;
    long epoch;

    /** The openings, by the time after which they begin. */
    final TreeMap<Long, Long> openings = new TreeMap<>();

    EmbeddedStore store;
    final VectorClock[] recorded = new VectorClock[PARTITIONS];

    /** The data centres that it knows, including itself. */
    Set<Integer> members;

    DataCentre(int number) {
      this(
          number,
          Stream.generate(LossyDisk::empty).limit(PARTITIONS).toList(),
          IntStream.range(0, count).boxed().collect(Collectors.toSet()));
    }

    private DataCentre(int number, List<LossyDisk> disks, Set<Integer> members) {
      this.local = new LocalDataCentre(number);
      this.disks.addAll(disks);
      this.members = members;
      this.skewMillis = random.nextInt(2_000);
      this.store = opened();
      openings.put(0L, epoch);
    }

    private EmbeddedStore opened() {
      Arrays.fill(recorded, VectorClock.ZERO);
      Set<Integer> others =
          members.stream().filter(other -> other != local.number()).collect(Collectors.toSet());
      List<PartitionFiles> files =
          disks.stream()
              .map(disk -> new PartitionFiles(disk.journal(), disk.checkpoints()))
              .toList();
      return StoreOpening.open(
          new StoreIdentity(100 + local.number(), PARTITIONS, local, OptionalLong.empty(), ROUTING),
          others,
          ++epoch,
          files,
          StoreOptions.defaults()
              .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20))
              .withClock(() -> Instant.ofEpochMilli(System.currentTimeMillis() + skewMillis))
              .withTimeouts(StoreOptions.defaults().timeouts().withRead(Duration.ofSeconds(5)))
              .withCache(cache)
              .withIndex(indexOf(local.number()))
              .withCheckpoints(
                  CheckpointPolicy.byCall().withRetention(Duration.ZERO).withPagedFromBytes(256)));
    }

    /** One of many lists no effects. */
    private IndexOptions indexOf(int number) {
      return number == listless ? IndexOptions.off() : IndexOptions.defaults();
    }

    Partition partition(int number) {
      return store.partitions().local().get(number);
    }

    PartitionStreams streams(int partition) {
      return partition(partition).streams();
    }

    void reopen(boolean isKill) {
      tap(this);
      open.forEach(Transaction::close);
      open.clear();
      List<LossyDisk> left = new ArrayList<>();
      for (LossyDisk disk : disks) {
        left.add(isKill ? disk.afterKill() : disk.afterPowerCut(random, random.nextDouble()));
      }
      store.close();
      for (int i = 0; i < PARTITIONS; i++) {
        disks.set(i, left.get(i));
      }
      skewMillis = Math.max(0, skewMillis + random.nextInt(2_000) - 1_000);
      store = opened();
      long now =
          store.partitions().local().stream()
              .mapToLong(one -> one.now().get(local.number()))
              .min()
              .orElseThrow();
      openings.put(now, epoch);
    }

    void close() {
      open.forEach(Transaction::close);
      store.close();
    }
  }

  private final Random random;
  private final int count;

  /** Whether objects of different types share names. */
  private final boolean sharesNames;

  private final List<Key<?>> keys;

  /** The data centre whose index lists no effects; often none. */
  private final int listless;

  private final List<DataCentre> all = new ArrayList<>();
  private CacheOptions cache = StoreOptions.defaults().cache();
  private final CommittedHistory history = new CommittedHistory();
  private int written;

  SimulatedDataCentres(Random random, int count) {
    this(random, count, false);
  }

  /**
   * @param sharesNames whether objects of different types share names
   */
  SimulatedDataCentres(Random random, int count, boolean sharesNames) {
    this.random = random;
    this.count = count;
    this.sharesNames = sharesNames;
    this.keys = allKeys();
    this.listless = count < 3 ? count : random.nextInt(3 * count);
    for (int number = 0; number < count; number++) {
      all.add(new DataCentre(number));
    }
  }

  /** From the next opening on. */
  void setCache(CacheOptions next) {
    cache = next;
  }

  List<DataCentre> all() {
    return all;
  }

  DataCentre get(int number) {
    return all.get(number);
  }

  DataCentre any() {
    return all.get(random.nextInt(all.size()));
  }

  /** A new data centre starts with the contents of some disks. */
  DataCentre join(int number, List<LossyDisk> disks, Set<Integer> members) {
    DataCentre joined = new DataCentre(number, disks, members);
    all.add(joined);
    return joined;
  }

  /** A data centre ends for good. */
  void remove(DataCentre at) {
    all.remove(at);
    at.close();
  }

  void begin(DataCentre at) {
    if (at.open.size() < SLOTS) {
      at.open.add(at.store.begin());
    }
  }

  void write(DataCentre at) {
    if (at.open.isEmpty() || random.nextInt(3) == 0) {
      // Concurrent arrivals must not change the basis on which the operation was chosen.
      try (Transaction transaction = at.store.begin()) {
        transaction.update(update(transaction));
        transaction.commit();
      } catch (ConflictException e) {
        // The type of an object is not durable yet; nothing was changed.
      } catch (TypeMismatchException e) {
        checkSharing(e);
      }
      tap(at);
    } else {
      try {
        Transaction transaction = at.open.get(random.nextInt(at.open.size()));
        transaction.update(update(transaction));
      } catch (TransactionEndedException | TransactionExpiredException e) {
        // It has failed to commit before.
      } catch (TypeMismatchException e) {
        checkSharing(e);
      }
    }
  }

  private void checkSharing(TypeMismatchException e) {
    if (!sharesNames) {
      throw e;
    }
  }

  void commit(DataCentre at) {
    if (!at.open.isEmpty()) {
      try (Transaction transaction = at.open.remove(random.nextInt(at.open.size()))) {
        transaction.commit();
      } catch (ConflictException e) {
        // Nothing was changed.
      } catch (TypeMismatchException e) {
        checkSharing(e);
      }
      tap(at);
    }
  }

  private Update update(Reader reader) {
    int name = random.nextInt(NAMES);
    String value = "v" + random.nextInt(4);
    int kind = random.nextInt(3);
    return switch (random.nextInt(7)) {
      case 0 -> counter(name).increment(1 + kind);
      case 1 -> kind == 0 ? resettable(name).reset() : resettable(name).increment(kind);
      case 2 -> kind == 0 ? added(name).remove(value) : added(name).add(value);
      case 3 -> kind == 0 ? removed(name).remove(value) : removed(name).add(value);
      case 4 -> register(name).assign("r" + written++);
      case 5 -> edit(list(name), reader.read(list(name)).size(), kind == 0);
      default -> edit(text(name), reader.read(text(name)).length(), kind == 0);
    };
  }

  private Update edit(ListKey<String> list, int size, boolean deletes) {
    return deletes && size > 0
        ? list.delete(random.nextInt(size), 1)
        : list.insert(random.nextInt(size + 1), "e" + written++);
  }

  private Update edit(TextKey text, int length, boolean deletes) {
    return deletes && length > 0
        ? text.delete(random.nextInt(length), 1)
        : text.insert(random.nextInt(length + 1), "w" + written++ + " ");
  }

  /** Records a data centre's commits. */
  void tap(DataCentre at) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      // The outcome of a transaction of several partitions may be in flight.
      at.store.partitions().local().get(partition).awaitComplete(at.store.partitions().snapshot());
      StreamReader reader =
          at.streams(partition)
              .read(
                  at.local.number(),
                  new StreamReader.Start(at.tapped[partition], at.tappedThrough[partition], 0));
      StreamReader.Chunk part = reader.read(Long.MAX_VALUE);
      for (byte[] record : part.records()) {
        Commit commit = TransactionRecord.commit(record, 0);
        assertThat(commit.time()).isGreaterThan(at.tapped[partition]);
        at.tapped[partition] = commit.time();
        history.add(record);
      }
      at.tappedThrough[partition] = part.through();
    }
  }

  /** Makes a checkpoint, and truncates unneeded history. */
  void checkpoint(DataCentre at) {
    tap(at);
    at.store.checkpoint();
  }

  /** The commits of the clients of all data centres. */
  CommittedHistory history() {
    return history;
  }

  /** Checks that a snapshot shows the right values of some objects. */
  void check(Snapshot snapshot, Collection<Key<?>> objects) {
    for (Key<?> key : objects) {
      Object expected = history.valueAt(key, snapshot.token().vector());
      assertThat(snapshot.read(key)).as("%s at %s", key, snapshot.token()).isEqualTo(expected);
    }
  }

  void check(DataCentre at) {
    Snapshot snapshot = at.store.snapshot();
    VectorClock vector = snapshot.token().vector();
    List<String> listed = new ArrayList<>();
    for (Key<?> key : inScanOrder()) {
      Object expected = history.valueAt(key, vector);
      String what = "%s at %s in data centre %d".formatted(key, vector, at.local.number());
      Optional<Object> found = read(snapshot, key);
      boolean isAsAtFirst = expected.equals(key.view(key.type().initial(), vector));
      if (!isAsAtFirst) {
        listed.add(key.toString());
      }
      if (found.isPresent()) {
        assertThat(found.get()).as(what).isEqualTo(expected);
      } else {
        // As a type that it was not created with, or of which nothing remains.
        assertThat(isAsAtFirst && history.isCreated(key, vector, false)).as(what).isTrue();
      }
    }
    try (Scan scan = snapshot.scan()) {
      List<String> scanned = new ArrayList<>();
      scan.forEachRemaining(
          object -> scanned.add(Key.of(object.bucket(), object.key(), object.type()).toString()));
      assertThat(scanned)
          .as("all at %s in data centre %d", vector, at.local.number())
          .isEqualTo(listed);
    }
  }

  private List<Key<?>> inScanOrder() {
    return keys.stream()
        .sorted(
            Comparator.<Key<?>, Bytes>comparing(Key::id)
                .thenComparingInt(key -> key.type().typeId()))
        .toList();
  }

  /** Empty if the object has another type. */
  private Optional<Object> read(Reader reader, Key<?> key) {
    try {
      return Optional.of(reader.read(key));
    } catch (TypeMismatchException e) {
      checkSharing(e);
      return Optional.empty();
    }
  }

  /** The number of objects that data centres have created with several types. */
  long ofSeveralTypes() {
    VectorClock everything = history.everything();
    return keys.stream()
        .filter(
            key ->
                history.isCreated(key, everything, true)
                    && history.isCreated(key, everything, false))
        .map(Key::id)
        .distinct()
        .count();
  }

  long seen(DataCentre at) {
    VectorClock snapshot = at.store.snapshot().token().vector();
    return history.seen(snapshot);
  }

  /** Whether every data centre sees every commit. */
  boolean areEqual() {
    return areEqual(history.everything());
  }

  /** Whether every data centre sees exactly what a vector sees. */
  boolean areEqual(VectorClock everything) {
    long wanted = history.seen(everything);
    return all.stream().allMatch(at -> seen(at) == wanted);
  }

  /** Checks that all data centres see everything, and the same. */
  void checkAllEqual() {
    checkAllEqual(history.everything());
  }

  /** Checks that all data centres see exactly what a vector sees. */
  void checkAllEqual(VectorClock everything) {
    for (DataCentre at : all) {
      assertThat(seen(at)).isEqualTo(history.seen(everything));
      check(at);
      for (Key<?> key : keys) {
        read(at.store, key)
            .ifPresent(
                value -> assertThat(read(all.get(0).store, key).orElse(value)).isEqualTo(value));
      }
    }
  }

  /** Copies one data centre's commits on a partition to another one, directly. */
  void bring(DataCentre from, DataCentre to, int partition) {
    int source = from.local.number();
    boolean isMore = true;
    while (isMore) {
      // An idle partition reports its time too.
      from.partition(partition).snapshotAfter(from.store.partitions().newest());
      // The outcome of a transaction of several partitions may be in flight.
      from.partition(partition).awaitComplete(from.store.partitions().snapshot());
      StreamReader.Chunk part =
          from.streams(partition)
              .read(source, to.streams(partition).next(source))
              .read(Long.MAX_VALUE);
      StreamBatch batch =
          new StreamBatch(source, part.after(), part.through(), part.records(), VectorClock.ZERO);
      assertThat(to.streams(partition).receive(batch)).isEqualTo(PartitionStreams.Receipt.TAKEN);
      to.partition(partition).awaitComplete(VectorClock.ZERO.with(source, part.through()));
      isMore = !part.records().isEmpty();
    }
  }

  /** Copies every commit to every data centre. */
  void exchange() {
    for (int round = 0; round < 2; round++) {
      for (DataCentre from : all) {
        for (DataCentre to : all) {
          for (int partition = 0; partition < PARTITIONS && from != to; partition++) {
            bring(from, to, partition);
          }
        }
      }
    }
  }

  /** Waits until all arrivals are durable. */
  static void awaitDurable(DataCentre at) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      VectorClock last = at.streams(partition).lastOfAll();
      at.partition(partition).awaitComplete(last);
    }
  }

  void commitAll() {
    for (DataCentre at : all) {
      while (!at.open.isEmpty()) {
        commit(at);
      }
    }
  }

  @Override
  public void close() {
    all.forEach(DataCentre::close);
  }
}
