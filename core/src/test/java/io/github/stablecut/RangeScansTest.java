package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans of ranges, in both directions, of snapshots and of transactions with their own writes. */
class RangeScansTest {
  private static final int KEYS = 400;

  @TempDir Path directory;
  private Store store;

  /** The contents of the bucket: the nonzero counters. */
  private final NavigableMap<String, Long> model = new TreeMap<>();

  private final Random random = new Random(11);

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("data"),
            StoreOptions.defaults()
                .withPartitions(3)
                .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofHours(1))));
    store.update(Key.counter("a", "before").increment(), Key.counter("b\0", "behind").increment());
    // One third is in a checkpoint, one third in memory, one third in both; some are 0 again.
    for (int part = 0; part < 2; part++) {
      List<Update> written = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        if (i % 3 != part) {
          write(written::add, "k%03d".formatted(i), i % 7 == 0 ? 1 - 2 * part : 1);
        }
      }
      store.update(written.toArray(Update[]::new));
      if (part == 0) {
        store.checkpoint();
      }
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(Consumer<Update> to, String key, long amount) {
    to.accept(counter(key).increment(amount));
    model.merge(key, amount, Long::sum);
    model.values().removeIf(value -> value == 0);
  }

  private static CounterKey counter(String key) {
    return Key.counter("b", key);
  }

  private static Map<String, Object> found(Scan opened) {
    try (Scan scan = opened) {
      Map<String, Object> found = new LinkedHashMap<>();
      scan.forEachRemaining(object -> found.put(object.key().toUtf8(), object.value()));
      return found;
    }
  }

  private String randomKey() {
    return "k%03d".formatted(random.nextInt(KEYS + 20)) + (random.nextInt(4) == 0 ? "x" : "");
  }

  /** Random bounds; adds the model's entries within them to {@code expected}. */
  private ScanOptions randomOptions(List<Map.Entry<String, Long>> expected) {
    ScanOptions options = ScanOptions.bucket("b");
    NavigableMap<String, Long> rest = model;
    if (random.nextBoolean()) {
      String low = randomKey();
      boolean isInclusive = random.nextBoolean();
      options = isInclusive ? options.from(low) : options.above(low);
      rest = rest.tailMap(low, isInclusive);
    }
    if (random.nextBoolean()) {
      String high = randomKey();
      boolean isInclusive = random.nextBoolean();
      options = isInclusive ? options.through(high) : options.until(high);
      rest = new TreeMap<>(rest);
      rest.keySet()
          .removeIf(key -> isInclusive ? key.compareTo(high) > 0 : key.compareTo(high) >= 0);
    }
    if (random.nextInt(4) == 0) {
      String prefix = randomKey().substring(0, random.nextInt(5));
      options = options.prefix(prefix);
      rest = new TreeMap<>(rest);
      rest.keySet().removeIf(key -> !key.startsWith(prefix));
    }
    boolean isDescending = random.nextBoolean();
    if (isDescending) {
      options = options.descending();
    }
    if (random.nextInt(3) == 0) {
      String after = randomKey();
      options = options.after(after);
      rest = new TreeMap<>(rest);
      rest.keySet()
          .removeIf(key -> isDescending ? key.compareTo(after) >= 0 : key.compareTo(after) <= 0);
    }
    rest = isDescending ? rest.descendingMap() : rest;
    long limit = random.nextBoolean() ? 1 + random.nextInt(30) : Long.MAX_VALUE;
    options = limit == Long.MAX_VALUE ? options : options.limit(limit);
    expected.addAll(rest.entrySet().stream().limit(limit).toList());
    return options;
  }

  @Test
  void aScanFindsTheObjectsOfItsRangeInItsOrder() {
    Snapshot snapshot = store.snapshot();
    for (int i = 0; i < 500; i++) {
      List<Map.Entry<String, Long>> expected = new ArrayList<>();
      ScanOptions options = randomOptions(expected);

      assertThat(List.copyOf(found(snapshot.scan(options)).entrySet()))
          .as(options.toString())
          .asString()
          .isEqualTo(expected.toString());
    }
  }

  @Test
  void aTransactionScansItsOwnWritesToo() {
    try (Transaction transaction = store.begin()) {
      for (int i = 0; i < 100; i++) {
        write(transaction::update, randomKey(), random.nextBoolean() ? 1 : -1);
      }
      try (Transaction nested = transaction.begin()) {
        nested.update(counter("k000zzz").increment());
        nested.abort();
      }
      for (int i = 0; i < 300; i++) {
        List<Map.Entry<String, Long>> expected = new ArrayList<>();
        ScanOptions options = randomOptions(expected);

        assertThat(List.copyOf(found(transaction.scan(options)).entrySet()))
            .as(options.toString())
            .asString()
            .isEqualTo(expected.toString());
      }
    }
  }

  @Test
  void aScanSeesConcurrentWritesOfItsTransactionAheadOfIt() {
    try (Transaction transaction = store.begin();
        Scan scan = transaction.scan(ScanOptions.bucket("b"))) {
      assertThat(scan.next().key().toUtf8()).isEqualTo(model.firstKey());
      Map<String, Object> expected = new LinkedHashMap<>();
      model.forEach(
          (key, value) -> {
            boolean isGone = expected.size() % 3 == 1;
            transaction.update(counter(key).increment(isGone ? -value : 1_000));
            expected.put(key, isGone ? 0L : value + 1_000);
          });
      expected.remove(model.firstKey());
      expected.values().removeIf(value -> value.equals(0L));

      assertThat(List.copyOf(found(scan).entrySet()))
          .containsExactlyElementsOf(expected.entrySet());
    }
  }

  @Test
  void aScanEndsWithItsTransactionAndPausesWhileANestedOneIsOpen() {
    Transaction transaction = store.begin();
    try (Scan scan = transaction.scan(ScanOptions.bucket("b"))) {
      StoredObject first = scan.next();
      try (Transaction nested = transaction.begin();
          Scan inside = nested.scan(ScanOptions.bucket("b"))) {
        assertThat(inside.next()).isEqualTo(first);
        assertThatThrownBy(scan::hasNext).isInstanceOf(NestedTransactionOpenException.class);
      }
      assertThat(scan.next().key()).isNotEqualTo(first.key());
      transaction.abort();

      assertThatThrownBy(scan::next).isInstanceOf(TransactionEndedException.class);
    }
  }

  @Test
  void pagesFollowEachOtherInBothDirections() {
    for (ScanOptions options :
        List.of(ScanOptions.bucket("b"), ScanOptions.bucket("b").descending())) {
      List<String> all = new ArrayList<>();
      ScanOptions page = options.limit(17);
      for (Map<String, Object> next = found(store.snapshot().scan(page));
          !next.isEmpty();
          next = found(store.snapshot().scan(page))) {
        all.addAll(next.keySet());
        page = page.after(all.get(all.size() - 1));
      }

      assertThat(all).containsExactlyElementsOf(found(store.snapshot().scan(options)).keySet());
    }
  }

  @Test
  void boundsAreArbitraryBytes() {
    ObjectKey<PnCounter.Add, Long> last =
        Key.of(Bytes.utf8("b"), Bytes.wrap(new byte[] {-1, -1}), PnCounter.TYPE);
    store.update(last.update(new PnCounter.Add(1)));

    assertThat(found(store.snapshot().scan(ScanOptions.bucket("b").prefix(last.key())))).hasSize(1);
    assertThat(found(store.snapshot().scan(ScanOptions.bucket("b").descending().limit(1))))
        .hasSize(1);
    assertThat(found(store.snapshot().scan(ScanOptions.bucket("b").from("k9").until("k1"))))
        .isEmpty();
    assertThat(found(store.snapshot().scan(ScanOptions.bucket("none").descending()))).isEmpty();
    assertThat(found(store.snapshot().scan(ScanOptions.bucket("b\0")))).containsOnlyKeys("behind");
    assertThatThrownBy(() -> ScanOptions.bucket("b").limit(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aScanOfKeysFindsTheSameObjectsWithoutValues() {
    ScanOptions range = ScanOptions.bucket("b").from("k100").until("k300");
    List<Bytes> keys = new ArrayList<>();
    try (Transaction transaction = store.begin();
        Scan scan = transaction.scan(range.keysOnly())) {
      scan.forEachRemaining(
          object -> {
            keys.add(object.key());
            assertThat(object.type()).isEqualTo(PnCounter.TYPE);
            assertThatThrownBy(object::value)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("keys only");
          });
    }
    assertThat(keys)
        .extracting(Bytes::toUtf8)
        .containsExactlyElementsOf(found(store.snapshot().scan(range)).keySet());
    try (Transaction transaction = store.begin()) {
      transaction.update(counter("k150").increment(-model.getOrDefault("k150", 0L)));
      transaction.update(counter("k150new").increment());
      assertThat(keysOf(transaction.scan(range.keysOnly())))
          .containsExactlyElementsOf(found(transaction.scan(range)).keySet());
    }
  }

  private static List<String> keysOf(Scan opened) {
    try (Scan scan = opened) {
      return scan.stream().map(object -> object.key().toUtf8()).toList();
    }
  }

  private static ObjectKey<PnCounter.Add, Long> partitioned(String partitionKey, String key) {
    return Key.withPartitionKey(
        Bytes.utf8(partitionKey), Key.of(Bytes.utf8("p"), Bytes.utf8(key), PnCounter.TYPE));
  }

  @Test
  void objectsOfOnePartitionKeyAreTogetherInOrder() {
    List<Update> updates = new ArrayList<>();
    for (String partitionKey : List.of("one", "on", "two\0", "")) {
      for (int i = 0; i < 10; i++) {
        updates.add(partitioned(partitionKey, "k" + i).update(new PnCounter.Add(i + 1)));
      }
    }
    store.update(updates.toArray(Update[]::new));
    CounterKey inMap = Key.withPartitionKey(Bytes.utf8("one"), Key.map("p", "map").counter("x"));
    store.update(inMap.increment(7));

    assertThat(store.read(inMap)).isEqualTo(7);
    assertThat(store.read(partitioned("one", "k4"))).isEqualTo(5);
    assertThat(store.partitionOf(inMap)).isEqualTo(store.partitionOf(partitioned("one", "k0")));
    ScanOptions one = ScanOptions.bucket("p", Bytes.utf8("one")).prefix("k");
    List<Object> values = new ArrayList<>();
    for (List<StoredObject> page = page(one); !page.isEmpty(); ) {
      page.forEach(object -> values.add(object.value()));
      page = page(one.after(page.get(page.size() - 1).key()));
    }
    assertThat(values).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(page(one.from("k3").through("k5").descending()))
        .extracting(StoredObject::value)
        .containsExactly(6L, 5L, 4L);
    assertThatThrownBy(() -> Key.withPartitionKey(Bytes.utf8("two"), inMap))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("already has a partition key");
    assertThat(inMap.partitionKey()).hasValue(Bytes.utf8("one"));
    assertThat(counter("k1").partitionKey()).isEmpty();
  }

  private List<StoredObject> page(ScanOptions options) {
    try (Scan scan = store.snapshot().scan(options.limit(4))) {
      return scan.stream().toList();
    }
  }

  private Transaction certified() {
    return store.begin(TransactionOptions.defaults().certify(Certification.READS_WRITES));
  }

  /** Whether a scanning transaction conflicts with a concurrent change of an object. */
  private boolean conflicts(ScanOptions options, int taken, String changed) {
    try (Transaction transaction = certified()) {
      try (Scan scan = transaction.scan(options)) {
        for (int i = 0; i < taken && scan.hasNext(); i++) {
          scan.next();
        }
      }
      transaction.update(Key.counter("other", "x").increment());
      store.update(counter(changed).increment());
      transaction.commit();
      return false;
    } catch (ConflictException e) {
      return true;
    }
  }

  @Test
  void anObjectThatEntersAScannedRangeIsAConflict() {
    ScanOptions range = ScanOptions.bucket("b").from("k100").until("k200");

    assertThat(conflicts(range, KEYS, "k150new1")).isTrue();
    assertThat(conflicts(range, KEYS, "k200")).isFalse();
    assertThat(conflicts(range, KEYS, "k099")).isFalse();
    assertThat(conflicts(range, 3, "k199")).isFalse();
    assertThat(conflicts(range, 3, "k100")).isTrue();
    assertThat(conflicts(range.descending(), 3, "k101")).isFalse();
    assertThat(conflicts(range.descending(), 3, "k199new")).isTrue();
    assertThat(conflicts(range.limit(1), KEYS, "k199x")).isFalse();
    assertThat(conflicts(ScanOptions.bucket("empty"), 1, "k100")).isFalse();
    assertThat(conflicts(ScanOptions.bucket("b").from("z"), 1, "zz")).isTrue();
  }

  @Test
  void certifiesManyScansAsOneRange() {
    for (boolean isInside : new boolean[] {true, false}) {
      try (Transaction transaction = certified();
          Scan open = transaction.scan(ScanOptions.bucket("b").from("k100").limit(1))) {
        for (int i = 0; i < 2_500; i++) {
          String key = "k1%02d".formatted(i % 50);
          found(transaction.scan(ScanOptions.bucket("b").from(key).through(key).limit(1)));
        }
        assertThat(open.hasNext()).isTrue();
        transaction.update(Key.counter("other", "x").increment());
        store.update(counter(isInside ? "k125between" : "a").increment());
        if (isInside) {
          assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void scanningAndWritingTheSameRangeDoesNotConflictWithItself() {
    try (Transaction transaction = certified()) {
      assertThat(found(transaction.scan(ScanOptions.bucket("b")))).isNotEmpty();
      transaction.update(counter("k1").increment(), counter("k2").increment());
      transaction.commit();
    }
  }

  @Test
  void checksManyWritesBetweenScanAndCommit() {
    ScanOptions range = ScanOptions.bucket("b").from("k100").until("k200");
    try (Transaction untouched = certified();
        Transaction touched = certified()) {
      assertThat(found(untouched.scan(range))).isNotEmpty();
      assertThat(found(touched.scan(ScanOptions.bucket("b")))).isNotEmpty();
      untouched.update(Key.counter("other", "y").increment());
      touched.update(Key.counter("other", "y").increment());
      for (int i = 0; i < 100; i++) {
        Update[] updates = new Update[200];
        for (int k = 0; k < updates.length; k++) {
          updates[k] = counter("m" + i + "-" + k).increment();
        }
        store.update(updates);
      }
      untouched.commit();
      assertThatThrownBy(touched::commit)
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("in a range that the transaction has scanned");
    }
  }

  @Test
  void aCheckpointThatDropsHistoryOfTheRangeIsAConflict() {
    try (Transaction transaction = certified()) {
      assertThat(found(transaction.scan(ScanOptions.bucket("b")))).isNotEmpty();
      transaction.update(Key.counter("other", "z").increment());
      store.update(counter("k1new").increment());
      store.checkpoint();
      store.checkpoint();
      assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
    }
  }
}
