package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.Session;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The nodes of a cluster, here in one JVM, are one store with the guarantees of an embedded store.
 */
class NodeRuntimeTest {
  private static final int PARTITIONS = 4;

  @TempDir static Path directory;

  private static final List<NodeRuntime> NODES = new ArrayList<>();
  private static Store one;
  private static Store other;

  @BeforeAll
  static void start() throws IOException {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < ports.size(); i++) {
      // The clocks differ.
      Duration ahead = Duration.ofSeconds(20L * i);
      NODES.add(NodeRuntime.start(settings("n" + i, ports.get(i), seeds, ahead)));
    }
    one = NODES.get(0).await();
    other = NODES.get(1).await();
  }

  private static NodeSettings settings(String name, int port, List<String> seeds, Duration ahead) {
    return new NodeSettings(
        name,
        directory.resolve(name),
        StoreOptions.defaults()
            .withPartitions(PARTITIONS)
            .withClock(() -> Instant.now().plus(ahead)),
        new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
        new NodeSettings.Formation(seeds, 2),
        NodeSettings.MoveLimits.DEFAULT);
  }

  @AfterAll
  static void stop() {
    NODES.forEach(NodeRuntime::close);
  }

  @Test
  void refusesASeedThatIsTheNodeUnderAnotherName() throws IOException {
    int port = Ports.free(1).get(0);
    NodeSettings settings =
        settings("itself", port, List.of("localhost:" + port), Duration.ofSeconds(0));

    assertThatThrownBy(() -> NodeRuntime.start(settings))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("the seed localhost:" + port + " is this node")
        .hasMessageContaining("use 127.0.0.1:" + port);
    assertThat(settings.data()).doesNotExist();
  }

  @Test
  void spreadsPartitionsEvenly() {
    assertThat(NODES.get(0).partitions())
        .extracting(PartitionLocation::node)
        .containsExactly("n0", "n1", "n0", "n1");
    assertThat(NODES.get(0).partitions())
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("lag")
        .isEqualTo(NODES.get(1).partitions());
    assertThat(NODES.get(0).partitions()).allMatch(PartitionLocation::isReachable);
  }

  @Test
  void aNodeReadsAcknowledgedCommitsOfAnother() {
    for (int i = 0; i < 50; i++) {
      CounterKey key = Key.counter("acknowledged", "k" + i);

      CausalToken written = one.update(key.increment(i));

      assertThat(other.at(written).read(key)).isEqualTo(i);
      assertThat(other.read(key)).isEqualTo(i);
    }
  }

  @Test
  void aTokenThatNoNodeIssuedMovesNoClock() {
    CounterKey key = Key.counter("forged", "k");
    long inAMinute = Timestamp.countAt(Instant.now().plusSeconds(59).toEpochMilli());
    CausalToken forged =
        new CausalToken(one.status().storeId(), VectorClock.of(Timestamp.of(inAMinute, 0)));

    assertThatThrownBy(() -> one.at(forged))
        .isInstanceOf(UnknownSnapshotException.class)
        .hasMessageContaining("is ahead of the store");

    // The other node's clock is 20 seconds ahead of the machine's.
    assertThat(one.update(key.increment()).vector().max())
        .isLessThan(
            Timestamp.of(Timestamp.countAt(Instant.now().plusSeconds(30).toEpochMilli()), 0));
  }

  @Test
  void aNodeReadsItsCommitsAlthoughAnotherClockIsAhead() {
    List<CounterKey> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      keys.add(Key.counter("ahead", "k" + i));
    }
    for (int i = 1; i <= 20; i++) {
      one.run(tx -> keys.forEach(key -> tx.update(key.increment(1))));
      assertThat(one.read(keys.get(i % 8))).isEqualTo(i);

      one.update(Key.counter("ahead", "single" + i).increment(1));
      assertThat(one.read(Key.counter("ahead", "single" + i))).isEqualTo(1);
    }
  }

  @Test
  void aTransactionOverPartitionsOfSeveralNodesIsAtomic() throws Exception {
    List<CounterKey> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      keys.add(Key.counter("atomic", "k" + i));
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (Store store : List.of(one, other)) {
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 40; i++) {
                    store.run(tx -> keys.forEach(key -> tx.update(key.increment(1))));
                  }
                }));
      }
      while (!writers.stream().allMatch(Future::isDone)) {
        for (Store store : List.of(one, other)) {
          Values values = store.read(keys);
          assertThat(keys.stream().map(values::get).distinct()).hasSize(1);
        }
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      threads.shutdown();
    }
    for (CounterKey key : keys) {
      assertThat(one.readLatest(key)).isEqualTo(80);
      assertThat(other.readLatest(key)).isEqualTo(80);
    }
  }

  @Test
  void serializesConditionalWritesOfBothNodesOnOneObject() throws Exception {
    CounterKey key = Key.counter("conditional", "k");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    long written = 0;
    try {
      List<Future<Long>> writers = new ArrayList<>();
      for (Store store : List.of(one, other, one, other)) {
        writers.add(threads.submit(() -> claim(store, key)));
      }
      for (Future<Long> writer : writers) {
        written += writer.get();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(one.readLatest(key)).isEqualTo(written);
  }

  private static long claim(Store store, CounterKey key) {
    long written = 0;
    for (int i = 0; i < 25; i++) {
      long before = store.readLatest(key);
      ConditionalResult result =
          store.compareAndUpdate(
              List.of(key), values -> values.get(key) == before, key.increment(1));
      written += result.isWritten() ? 1 : 0;
    }
    return written;
  }

  @Test
  void evaluatesConditionsWhereverTheObjectsAre() {
    for (int i = 0; i < 8; i++) {
      AddWinsSetKey<String> tags = Key.addWinsSet("conditions", "tags{" + i + "}", Codec.string());
      CounterKey stock = Key.counter("conditions", "stock{" + i + "}");
      CounterKey elsewhere = Key.counter("conditions", "stock{" + (i + 1) % 8 + "}");
      one.update(tags.addAll(List.of("a", "b")), stock.increment(10));
      for (Store store : List.of(one, other)) {
        long before = store.readLatest(stock);
        ConditionalResult sold =
            store.compareAndUpdate(
                Condition.all(Condition.holds(tags.contains("a")), Condition.is(stock, before)),
                stock.decrement(3),
                tags.add(store == one ? "one" : "other"));
        assertThat(sold.isWritten()).isTrue();
        assertThat(sold.found().get(stock)).isEqualTo(before);
        assertThat(store.read(stock)).isEqualTo(before - 3);

        ConditionalResult refused =
            store.compareAndUpdate(
                Condition.greater(tags.size(), 10), stock.decrement(3), tags.clear());
        assertThat(refused.isWritten()).isFalse();
        assertThat(refused.found().get(tags.size())).isGreaterThan(2);
        assertThat(store.readLatest(stock)).isEqualTo(before - 3);

        ConditionalResult moved =
            store.compareAndUpdate(
                Condition.atLeast(stock, 1), stock.decrement(1), elsewhere.increment());
        assertThat(moved.isWritten()).isTrue();
        assertThat(store.readLatest(stock)).isEqualTo(before - 4);
        CounterKey wrong = Key.counter("conditions", "tags{" + i + "}");
        assertThatThrownBy(() -> store.compareAndUpdate(Condition.is(wrong, 0L), stock.increment()))
            .isInstanceOf(TypeMismatchException.class);
      }
    }
  }

  /** The states stay on their nodes, and yet each operation sees the earlier ones. */
  @Test
  void operationsSeeEarlierOnesWhereverTheObjectIs() {
    for (int i = 0; i < 8; i++) {
      AddWinsSetKey<String> set = Key.addWinsSet("several", "set" + i, Codec.string());
      RecursiveMapKey map = Key.map("several", "map" + i);
      TextKey text = map.text("text");
      for (Store store : List.of(one, other)) {
        CausalToken cleared = store.update(set.clear(), map.clear());
        try (Transaction transaction = store.begin(TransactionOptions.defaults().after(cleared))) {
          transaction.update(set.addAll(List.of("a", "b")), text.insert(0, "world"));
          transaction.update(set.remove("a"), set.add("c"), text.insert(0, "hello "));
          transaction.update(map.counter("count").increment(2));
          assertThat(transaction.read(set)).containsExactly("b", "c");
          assertThat(transaction.read(map.counter("count"))).isEqualTo(2);
          CausalToken committed = transaction.commit();
          for (Store reader : List.of(one, other)) {
            assertThat(reader.at(committed).read(set)).containsExactly("b", "c");
            assertThat(reader.at(committed).read(text).toString()).isEqualTo("hello world");
            assertThat(reader.at(committed).read(map.counter("count"))).isEqualTo(2);
          }
        }
      }
    }
  }

  @Test
  void bothNodesDrawEachNumberOnce() throws Exception {
    CounterKey next = Key.counter("drawn", "next");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Long> drawn = new ArrayList<>();
    try {
      List<Future<List<Long>>> all = new ArrayList<>();
      for (Store store : List.of(one, other, one, other)) {
        all.add(threads.submit(() -> draw(store, next)));
      }
      for (Future<List<Long>> own : all) {
        drawn.addAll(own.get());
      }
    } finally {
      threads.shutdown();
    }
    assertThat(drawn).doesNotHaveDuplicates().hasSize(100);
  }

  private static List<Long> draw(Store store, CounterKey next) {
    List<Long> own = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      own.add(
          store.compute(List.of(next), found -> Computation.of(found.get(next), next.increment())));
    }
    return own;
  }

  @Test
  void refusesACertifiedTransactionIfAnotherNodeWasFaster() {
    RegisterKey<String> key = Key.register("certified", "k", Codec.string());
    for (Store slow : List.of(one, other)) {
      Store fast = slow == one ? other : one;
      CausalToken faster;
      try (Transaction late =
          slow.begin(TransactionOptions.defaults().certify(Certification.WRITES))) {
        var read = late.read(key);
        late.update(key.assign(read.orElse("") + "late"));
        faster = fast.update(key.assign("fast"));

        assertThatThrownBy(late::commit).isInstanceOf(ConflictException.class);
      }
      assertThat(slow.at(faster).read(key)).contains("fast");
    }
  }

  @Test
  void answersQueriesWhereverTheObjectIs() {
    for (int i = 0; i < 8; i++) {
      AddWinsSetKey<String> tags = Key.addWinsSet("asked", "k" + i, Codec.string());
      CausalToken written = one.update(tags.addAll(List.of("a", "b", "c")));
      for (Store store : List.of(one, other)) {
        assertThat(store.at(written).read(tags.contains("b"))).isTrue();
        assertThat(store.read(tags.pageBefore("c", 1))).containsExactly("b");
        assertThat(store.read(List.of(tags.size(), tags.contains("z"))).get(tags.size()))
            .isEqualTo(3);
        try (Transaction transaction = store.begin()) {
          transaction.update(tags.add("own"));
          assertThat(transaction.read(tags.contains("own"))).isTrue();
        }
        assertThatThrownBy(
                () -> store.read(Key.list("asked", tags.key().toUtf8(), Codec.string()).size()))
            .isInstanceOf(TypeMismatchException.class);
      }
    }
  }

  @Test
  void transactionsOfDifferentNodesConflictOnlyInWhatTheyHaveQueried() {
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);
    for (int i = 0; i < 8; i++) {
      AddWinsSetKey<String> tags = Key.addWinsSet("askers", "k" + i, Codec.string());
      AddWinsSetKey<String> more = Key.addWinsSet("askers", "more" + i, Codec.string());
      try (Transaction first = one.begin(certified);
          Transaction second = other.begin(certified);
          Transaction late = other.begin(certified)) {
        assertThat(first.read(tags.contains("a"))).isFalse();
        assertThat(second.read(tags.contains("b"))).isFalse();
        assertThat(late.read(tags.firstPage(10))).isEmpty();
        first.update(tags.add("a"), more.add("a"));
        second.update(tags.add("b"), more.add("b"));
        late.update(more.add("c"));
        first.commit();
        second.commit();

        assertThatThrownBy(late::commit).isInstanceOf(ConflictException.class);
      }
    }
  }

  @Test
  void scansAndCertifiesRangesOverAllNodes() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      names.add("k%03d".formatted(i));
      one.update(Key.counter("ranges", names.get(i)).increment(1));
    }
    ScanOptions range = ScanOptions.bucket("ranges").from("k020").through("k079");
    for (Store store : List.of(one, other)) {
      assertThat(keys(store.snapshot().scan(range))).isEqualTo(names.subList(20, 80));
      List<String> last = keys(store.snapshot().scan(range.descending().limit(7)));
      Collections.reverse(last);
      assertThat(last).isEqualTo(names.subList(73, 80));
    }
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);
    for (String inserted : List.of("k050x", "k080x")) {
      try (Transaction transaction = one.begin(certified)) {
        assertThat(keys(transaction.scan(range))).hasSizeGreaterThanOrEqualTo(60);
        transaction.update(Key.counter("ranges", "total").increment(1));
        other.update(Key.counter("ranges", inserted).increment(1));
        if (inserted.equals("k050x")) {
          assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
        } else {
          transaction.commit();
        }
      }
    }
  }

  private static List<String> keys(Scan opened) {
    List<String> found = new ArrayList<>();
    try (Scan scan = opened) {
      scan.forEachRemaining(object -> found.add(object.key().toUtf8()));
    }
    return found;
  }

  @Test
  void refusesAWrongTypeWhereverTheObjectIs() {
    for (int i = 0; i < 8; i++) {
      String name = "k" + i;
      one.update(Key.counter("types", name).increment(1));

      assertThatThrownBy(
              () -> other.update(Key.register("types", name, Codec.string()).assign("x")))
          .isInstanceOf(TypeMismatchException.class);
    }
  }

  @Test
  void transfersLargeObjectsInFragments() {
    AddWinsSetKey<String> key = Key.addWinsSet("large", "k", Codec.string());
    AddWinsSetKey<String> second = Key.addWinsSet("large", "l", Codec.string());
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      values.add(i + "x".repeat(100_000));
    }
    one.update(key.addAll(values), second.addAll(values));

    assertThat(other.read(key)).hasSize(30);
    assertThat(one.read(second)).hasSize(30);
  }

  @Test
  void aScanReturnsTheObjectsOfAllNodesInOrder() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      names.add("k%03d".formatted(i));
      one.update(Key.counter("scan", names.get(i)).increment(1));
    }
    for (Store store : List.of(one, other)) {
      List<String> found = new ArrayList<>();
      try (Scan scan = store.snapshot().scan("scan", "")) {
        scan.forEachRemaining(object -> found.add(object.key().toUtf8()));
      }
      assertThat(found).isEqualTo(names);
    }
  }

  @Test
  void executesASessionsRequestOnceWhereverItIsSent() {
    CounterKey first = Key.counter("session", "a");
    CounterKey second = Key.counter("session", "b");
    CounterKey third = Key.counter("session", "c");
    Session session = one.openSession();
    session.update(1, first.increment(1), second.increment(1), third.increment(1));

    other
        .session(session.id())
        .update(1, first.increment(1), second.increment(1), third.increment(1));

    assertThat(other.read(first)).isEqualTo(1);
    assertThat(other.read(third)).isEqualTo(1);
  }

  @Test
  void aPinnedPointStaysReadableOnAllNodes() {
    CounterKey key = Key.counter("pin", "k");
    CausalToken token = one.update(key.increment(1));
    try (Pin pin = other.pin(token)) {
      one.update(key.increment(1));
      one.checkpoint();

      assertThat(pin.read(key)).isEqualTo(1);
    }
  }
}
