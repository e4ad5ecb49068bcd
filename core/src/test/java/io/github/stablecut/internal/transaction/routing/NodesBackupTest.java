package io.github.stablecut.internal.transaction.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Pin;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup that reads partitions as on other nodes is one snapshot of all of them, with their past.
 * The partitions belong to a store in this process.
 */
final class NodesBackupTest {
  private static final int PARTITIONS = 3;
  private static final int PAIRS = 12;
  private static final int WRITERS = 4;

  @TempDir private Path temporary;

  /**
   * An acknowledged commit.
   *
   * @param number of the writer's commits, from 1; also that of the session's request
   */
  private record AcknowledgedCommit(int writer, int pair, long number, VectorClock at) {}

  private final Queue<AcknowledgedCommit> history = new ConcurrentLinkedQueue<>();
  private final List<SessionId> sessions = new ArrayList<>();
  private int textLength = 1_000;

  private Path path(String name) {
    return temporary.resolve(name);
  }

  /**
   * Decisions of one partition stay non-durable on the others for a while, and each makes
   * checkpoints independently.
   */
  private static StoreOptions options(CheckpointPolicy checkpoints) {
    return StoreOptions.defaults()
        .withPartitions(PARTITIONS)
        .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
        .withDurability(Durability.group(Duration.ofMillis(10)))
        .withCheckpoints(checkpoints);
  }

  private static CounterKey left(int pair) {
    return Key.counter("pairs", "left" + pair);
  }

  private static CounterKey right(int pair) {
    return Key.counter("pairs", "right" + pair);
  }

  private static CounterKey written(int writer) {
    return Key.counter("written", "" + writer);
  }

  private static RegisterKey<String> text(int number) {
    return Key.register("text", "" + number, Codec.string());
  }

  private static EmbeddedStore open(Path directory, StoreOptions options) {
    return (EmbeddedStore) Stablecut.open(directory, options);
  }

  private void write(Session session, int writer, long number) {
    int pair = ThreadLocalRandom.current().nextInt(PAIRS);
    CausalToken token = update(session, writer, pair, number);
    history.add(new AcknowledgedCommit(writer, pair, number, token.vector()));
  }

  @CanIgnoreReturnValue
  private CausalToken update(Session session, int writer, int pair, long number) {
    return session.update(
        number,
        left(pair).increment(),
        right(pair).increment(),
        written(writer).increment(),
        text(pair).assign("x".repeat(textLength)));
  }

  /** Writes during an action. */
  private void whileWriting(Store store, Runnable work) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      Session session = store.openSession();
      sessions.add(session.id());
      writers.add(
          threads.submit(
              () -> {
                for (long number = 1; !isOver.get(); number++) {
                  write(session, writer, number);
                }
              }));
    }
    try {
      work.run();
    } finally {
      isOver.set(true);
      threads.shutdown();
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
  }

  private void awaitCommits(int number) {
    while (history.size() < number) {
      Thread.onSpinWait();
    }
  }

  @CanIgnoreReturnValue
  private CausalToken backUp(EmbeddedStore store, Path target, BackupProgress progress) {
    try (NodesBackup backup = new NodesBackup(store.partitions())) {
      return write(store, backup, target, progress);
    }
  }

  @CanIgnoreReturnValue
  private static CausalToken write(
      EmbeddedStore store, NodesBackup backup, Path target, BackupProgress progress) {
    long id = store.snapshot().token().storeId();
    backup.write(new StoreIdentity(id, PARTITIONS), target, progress, Instant.now());
    return new CausalToken(id, backup.at());
  }

  private static Snapshot at(Store store, VectorClock vector) {
    return store.at(new CausalToken(store.snapshot().token().storeId(), vector));
  }

  /** Compares a point's values with the commits acknowledged until then. */
  private void check(Snapshot snapshot, VectorClock at) {
    List<AcknowledgedCommit> seen =
        history.stream().filter(one -> one.at.isAtOrBefore(at)).toList();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      assertThat(snapshot.read(written(i)))
          .as("writer %d at %s", i, at)
          .isEqualTo(seen.stream().filter(one -> one.writer == writer).count());
    }
    for (int i = 0; i < PAIRS; i++) {
      int pair = i;
      long number = seen.stream().filter(one -> one.pair == pair).count();
      assertThat(snapshot.read(left(i))).as("pair %d at %s", i, at).isEqualTo(number);
      assertThat(snapshot.read(right(i))).as("pair %d at %s", i, at).isEqualTo(number);
    }
  }

  /** Points of the past, at or before one. */
  private List<VectorClock> points(VectorClock until) {
    List<VectorClock> all =
        history.stream().map(AcknowledgedCommit::at).filter(at -> at.isAtOrBefore(until)).toList();
    int step = Math.max(1, all.size() / 25);
    return Stream.iterate(0, i -> i < all.size(), i -> i + step).map(all::get).toList();
  }

  @Test
  void aRestoredStoreHasTheSnapshotAndItsPast() throws Exception {
    StoreOptions options = options(CheckpointPolicy.defaults().withEffects(200));
    List<CausalToken> backups = new ArrayList<>();
    try (EmbeddedStore store = open(path("data"), options)) {
      whileWriting(
          store,
          () -> {
            for (int i = 0; i < 2; i++) {
              awaitCommits(120 * (i + 1));
              int acknowledged = history.size();
              CausalToken token = backUp(store, path("backup" + i), BackupProgress.NONE);
              assertThat(history.stream().limit(acknowledged))
                  .allMatch(one -> one.at.isAtOrBefore(token.vector()));
              backups.add(token);
            }
            awaitCommits(history.size() + 50);
          });
    }

    for (int i = 0; i < backups.size(); i++) {
      VectorClock at = backups.get(i).vector();
      Stablecut.restore(path("backup" + i), path("restored" + i), BackupProgress.NONE);
      assertThat(
              Verification.run(path("restored" + i), Verification.Depth.FULL, ToolProgress.NONE)
                  .isIntact())
          .isTrue();
      try (EmbeddedStore store = open(path("restored" + i), options)) {
        check(store.snapshot(), at);
        points(at).forEach(point -> check(at(store, point), point));
        checkWatch(store, at);
        assertContinues(store, at);
      }
      try (EmbeddedStore store = open(path("restored" + i), options)) {
        points(at).forEach(point -> check(at(store, point), point));
      }
    }
  }

  /** An acknowledged commit has its outcome on one partition, and is not durable on the other. */
  @Test
  void anAcknowledgedCommitIsIncludedThoughAPartitionHasNotWrittenItYet() {
    StoreOptions options =
        options(CheckpointPolicy.byCall()).withDurability(Durability.group(Duration.ofMillis(400)));
    CausalToken acknowledged;
    try (EmbeddedStore store = open(path("data"), options)) {
      CounterKey one = on(store, 1);
      CounterKey other = on(store, 2);
      acknowledged = store.update(one.increment(), other.increment());
      CausalToken token = backUp(store, path("backup"), BackupProgress.NONE);
      assertThat(acknowledged.vector().isAtOrBefore(token.vector())).isTrue();
    }
    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);
    try (EmbeddedStore store = open(path("restored"), options)) {
      assertThat(store.read(on(store, 1))).isEqualTo(1);
      assertThat(store.read(on(store, 2))).isEqualTo(1);
    }
  }

  /** An object on a partition. */
  private static CounterKey on(Store store, int partition) {
    return Stream.iterate(0, i -> i + 1)
        .map(NodesBackupTest::left)
        .filter(key -> store.partitionOf(key) == partition)
        .findFirst()
        .orElseThrow();
  }

  /** Another partition has decided all of its transactions. */
  @Test
  void recordsOfAPartitionThatDecidesNothingArriveInParts() {
    AtomicInteger largest = new AtomicInteger();
    try (EmbeddedStore store =
        open(path("data"), StoreOptions.defaults().withPartitions(PARTITIONS))) {
      RegisterKey<String> text =
          Stream.iterate(0, i -> i + 1)
              .map(NodesBackupTest::text)
              .filter(key -> store.partitionOf(key) == 1)
              .findFirst()
              .orElseThrow();
      for (int i = 0; i < 100; i++) {
        store.update(on(store, 0).increment(), text.assign("x".repeat(20_000)));
      }
      over(
              store,
              (partition, reading) -> {
                BackupReadRequest.Piece piece = partition.backup(reading);
                largest.accumulateAndGet(piece.bytes().length(), Math::max);
                return piece;
              })
          .backup(path("backup"));
    }
    assertThat(largest).hasValueLessThan(600_000);
  }

  /** A watch from a point of the past receives each commit once, with all its parts. */
  private void checkWatch(Store store, VectorClock until) throws InterruptedException {
    VectorClock from = points(until).get(1);
    long expected =
        history.stream()
            .filter(one -> one.at.isAtOrBefore(until) && !one.at.isAtOrBefore(from))
            .count();
    CausalToken after = new CausalToken(store.snapshot().token().storeId(), from);
    try (Watch watch = store.watch("pairs", "", WatchOptions.after(after))) {
      for (long i = 0; i < expected; i++) {
        Change change = watch.poll(Duration.ofMinutes(1)).orElseThrow();
        assertThat(change.objects()).hasSize(2);
      }
      assertThat(watch.poll(Duration.ZERO)).isEmpty();
    }
  }

  /** Requests in the snapshot are not executed again, and others are. */
  private void assertContinues(Store store, VectorClock at) {
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      Optional<AcknowledgedCommit> last =
          history.stream()
              .filter(one -> one.writer == writer && one.at.isAtOrBefore(at))
              .max(Comparator.comparingLong(AcknowledgedCommit::number));
      long before = store.read(written(i));
      Session session = store.session(sessions.get(sessions.size() - WRITERS + i));
      last.ifPresent(one -> update(session, writer, one.pair, one.number));
      assertThat(store.read(written(i))).isEqualTo(before);
      long known = last.map(AcknowledgedCommit::number).orElse(0L);
      for (long number = known + 1; number <= known + 20; number++) {
        update(session, writer, writer, number);
      }
      assertThat(store.read(written(i))).isEqualTo(before + 20);
      assertThat(store.read(left(i))).isEqualTo(store.read(right(i)));
    }
    assertThat(store.status().activity().inDoubt()).isEmpty();
    store.checkpoint();
    assertThat(store.read(left(0))).isEqualTo(store.read(right(0)));
  }

  @Test
  void truncatedHistoryIsAbsentAndReported() throws Exception {
    textLength = 60_000;
    StoreOptions options =
        options(CheckpointPolicy.defaults().withEffects(100).withRetention(Duration.ofMillis(200)));
    CausalToken[] token = new CausalToken[1];
    VectorClock[] first = new VectorClock[1];
    try (EmbeddedStore store = open(path("data"), options)) {
      whileWriting(
          store,
          () -> {
            awaitCommits(1);
            first[0] = history.element().at;
            long segments = 0;
            while (segments < 2) {
              segments =
                  store.partitions().local().stream()
                      .mapToLong(one -> one.checkpoints().manifest().firstSegment())
                      .min()
                      .orElseThrow();
            }
            token[0] = backUp(store, path("backup"), BackupProgress.NONE);
          });
    }

    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);
    // Otherwise this one is truncated too, being older.
    try (EmbeddedStore store = open(path("restored"), options(CheckpointPolicy.byCall()))) {
      check(store.snapshot(), token[0].vector());
      VectorClock low =
          store.partitions().local().stream()
              .map(one -> one.checkpoints().manifest().lowWatermark())
              .reduce(VectorClock.ZERO, VectorClock::join);
      assertThat(first[0].isAtOrBefore(low)).isTrue();
      assertThatThrownBy(() -> at(store, first[0]).read(left(0)))
          .isInstanceOf(SnapshotTruncatedException.class);
      check(at(store, low), low);
      assertContinues(store, token[0].vector());
    }
  }

  /**
   * Before truncation, a partition saves the last requests of sessions: here also those after the
   * snapshot.
   */
  @Test
  void aRequestAfterTheSnapshotIsUnknown() {
    StoreOptions options = options(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    SessionId id;
    try (EmbeddedStore store = open(path("data"), options)) {
      Session session = store.openSession();
      id = session.id();
      Pin beginning = store.pin(store.snapshot().token());
      for (long number = 1; number <= 3; number++) {
        session.update(number, written(0).increment());
      }
      for (int i = 0; i < 120; i++) {
        store.update(text(i).assign("x".repeat(100_000)));
      }
      store.checkpoint();
      try (NodesBackup backup = new NodesBackup(store.partitions())) {
        session.update(4, written(0).increment());
        beginning.close();
        store.checkpoint();
        assertThat(store.partitions().local())
            .allMatch(one -> one.checkpoints().manifest().firstSegment() > 1);
        write(store, backup, path("backup"), BackupProgress.NONE);
      }
    }
    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);
    try (Store store = open(path("restored"), options)) {
      assertThat(store.read(written(0))).isEqualTo(3);
      store.session(id).update(4, written(0).increment());
      assertThat(store.read(written(0))).isEqualTo(4);
    }
  }

  // Backups while partitions move, are away, or answer nonsense.

  private record OverPartitions(List<PartitionAccess> partitions, ActiveSnapshots active)
      implements PartitionProvider {
    @Override
    public int transactionBytes() {
      return Integer.MAX_VALUE;
    }

    @Override
    public long epoch() {
      return 1;
    }
  }

  /** A store over the same partitions, one of which answers backups in its own way. */
  private static EmbeddedStore over(
      EmbeddedStore store,
      BiFunction<PartitionAccess, BackupReadRequest, BackupReadRequest.Piece> answers) {
    List<PartitionAccess> all = new ArrayList<>(store.partitions().all());
    PartitionAccess second = all.get(1);
    all.set(
        1,
        (PartitionAccess)
            Proxy.newProxyInstance(
                PartitionAccess.class.getClassLoader(),
                new Class<?>[] {PartitionAccess.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("backup")) {
                    return answers.apply(second, (BackupReadRequest) arguments[0]);
                  }
                  try {
                    return method.invoke(second, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
    long id = store.snapshot().token().storeId();
    return EmbeddedStore.over(
        new StoreIdentity(id, PARTITIONS),
        new OverPartitions(all, store.partitions().activeSnapshots()),
        StoreOptions.defaults());
  }

  private void fill(EmbeddedStore store) {
    Session session = store.openSession();
    for (int number = 1; number <= 40; number++) {
      write(session, 0, number);
      if (number == 20) {
        store.checkpoint();
      }
    }
  }

  @Test
  void rereadsAPartitionThatMovedFromItsBeginning() {
    StoreOptions options = options(CheckpointPolicy.byCall());
    AtomicInteger moves = new AtomicInteger();
    try (EmbeddedStore store = open(path("data"), options)) {
      fill(store);
      EmbeddedStore nodes =
          over(
              store,
              (partition, reading) -> {
                boolean isRecords = reading.file().equals(BackupReadRequest.RECORDS);
                if (isRecords && moves.incrementAndGet() == 1) {
                  throw new PartitionUnavailableException("for a test");
                }
                return isRecords && moves.get() == 2
                    ? new BackupReadRequest.Piece(BackupReadRequest.Piece.RESTART, Bytes.EMPTY)
                    : partition.backup(reading);
              });
      CausalToken token = nodes.backup(path("backup"));

      Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);
      try (Store restored = open(path("restored"), options)) {
        check(restored.snapshot(), token.vector());
      }
    }
    assertThat(moves).hasValueGreaterThan(2);
  }

  @Test
  void anUnreadablePartitionLeavesNothing() {
    try (EmbeddedStore store = open(path("data"), options(CheckpointPolicy.byCall()))) {
      fill(store);
      EmbeddedStore moved =
          over(
              store,
              (partition, reading) ->
                  reading.file().isEmpty()
                      ? partition.backup(reading)
                      : new BackupReadRequest.Piece(BackupReadRequest.Piece.RESTART, Bytes.EMPTY));
      assertThatThrownBy(() -> moved.backup(path("backup")))
          .isInstanceOf(PartitionUnavailableException.class)
          .hasMessageContaining("no backup was made")
          .hasMessageContaining("partition 1 moved or its node restarted");
      assertThat(path("backup")).doesNotExist();

      EmbeddedStore slow =
          over(
              store,
              (partition, reading) -> {
                if (reading.file().equals(BackupReadRequest.RECORDS)) {
                  throw new ReadTimeoutException("for a test");
                }
                return partition.backup(reading);
              });
      assertThatThrownBy(() -> slow.backup(path("backup")))
          .isInstanceOf(PartitionUnavailableException.class)
          .hasMessageContaining("for a test");
      assertThat(path("backup")).doesNotExist();

      EmbeddedStore damaged =
          over(
              store,
              (partition, reading) -> {
                BackupReadRequest.Piece piece = partition.backup(reading);
                if (!reading.file().startsWith("run-")) {
                  return piece;
                }
                byte[] bytes = piece.bytes().toArray();
                bytes[bytes.length / 2] ^= 1;
                return new BackupReadRequest.Piece(piece.next(), Bytes.wrap(bytes));
              });
      assertThatThrownBy(() -> damaged.backup(path("backup")))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the checkpoints of partition 1 are damaged on its node");
      assertThat(path("backup")).doesNotExist();

      EmbeddedStore elsewhere =
          over(
              store,
              (partition, reading) ->
                  new BackupReadRequest.Piece(
                      BackupReadRequest.Piece.DONE, Bytes.wrap(new byte[] {1, 2, 3})));
      assertThatThrownBy(() -> elsewhere.backup(path("backup")))
          .isInstanceOf(DamageException.class);
      assertThat(path("backup")).doesNotExist();
      store.update(left(0).increment());
    }
  }

  @Test
  void detectsAMissingFileInTheTarget() {
    try (EmbeddedStore store = open(path("data"), options(CheckpointPolicy.byCall()))) {
      fill(store);
      EmbeddedStore nodes =
          over(
              store,
              (partition, reading) -> {
                if (reading.file().equals(BackupReadRequest.RECORDS)) {
                  delete(path("backup").resolve("p1"));
                }
                return partition.backup(reading);
              });

      assertThatThrownBy(() -> nodes.backup(path("backup")))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the checkpoints of partition 1 are damaged");
      assertThat(path("backup")).doesNotExist();
    }
  }

  private static void delete(Path directory) {
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void namesADamagedFileAndCreatesNoStore() throws Exception {
    try (EmbeddedStore store = open(path("data"), options(CheckpointPolicy.byCall()))) {
      fill(store);
      backUp(store, path("backup"), BackupProgress.NONE);
    }
    Path records = path("backup").resolve("p1").resolve("JOURNAL");
    byte[] content = Files.readAllBytes(records);
    content[content.length / 2] ^= 1;
    Files.write(records, content);

    assertThatThrownBy(
            () -> Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(records + " is damaged");
    assertThat(path("restored")).doesNotExist();
  }
}
