package io.github.stablecut.internal.transaction;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.SessionId;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.transaction.routing.Routing;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that acknowledge before they sync, and are synced together, step by step. */
final class JointSyncTest {
  private static final int PARTITIONS = 3;
  private static final String LARGE = "x".repeat(100_000);

  private final CounterKey count = Key.counter("b", "{same}count");
  private final RegisterKey<String> large = Key.register("b", "{same}large", Codec.string());
  private final CounterKey elsewhere = Key.counter("b", "{other}count");

  private static StoreOptions options(Duration interval, int partitions) {
    return StoreOptions.defaults()
        .withPartitions(partitions)
        .withDurability(Durability.periodic(interval))
        .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO))
        .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20));
  }

  /** Without any unrequested sync during the test. */
  private static StoreOptions late(int partitions) {
    return options(Duration.ofSeconds(10), partitions);
  }

  private static final StoreOptions LATE = late(PARTITIONS);

  /** A thread per task: tasks wait for each other. */
  private static final Executor THREADS = task -> new Thread(task).start();

  /** The disks after losing everything unsynced. */
  private static LossyDisks afterPowerCut(LossyDisks disks, Store store) {
    return afterPowerCut(disks, store, 0);
  }

  private static LossyDisks afterPowerCut(LossyDisks disks, Store store, double survivors) {
    disks.switchOff();
    try {
      store.close();
    } catch (StablecutException expected) {
      // It can't write its last records.
    }
    return disks.afterPowerCut(new Random(0), survivors);
  }

  private static boolean hasFile(LossyDisks disks) {
    return disks.files().list().contains(SyncedFile.FILE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, PARTITIONS})
  void remembersARequestWhoseSegmentWasDropped(int partitions) {
    LossyDisks disks = LossyDisks.empty(partitions);
    Store store = disks.open(late(partitions));
    SessionId session = store.openSession().id();
    store.session(session).update(1, count.increment());
    int first = journalOfCount(disks).segments().get(0);
    while (journalOfCount(disks).segments().size() < 3) {
      store.update(large.assign(LARGE));
    }
    // Only the first one has something to write.
    for (int i = 0; i < 100 && journalOfCount(disks).segments().contains(first); i++) {
      store.checkpoint();
    }
    assertThat(journalOfCount(disks).segments()).doesNotContain(first);

    Store after = afterPowerCut(disks, store).open(late(partitions));

    after.session(session).update(1, count.increment());
    assertThat(after.read(count)).isEqualTo(1);
    after.close();
  }

  private LossySegments journalOfCount(LossyDisks disks) {
    int number = new Routing(0, disks.partitions().size()).partition(count.id());
    return disks.partitions().get(number).journal();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, PARTITIONS})
  void aCheckpointHasNothingThatTheJournalCanLose(int partitions) {
    LossyDisks disks = LossyDisks.empty(partitions);
    Store store = disks.open(late(partitions));
    SessionId session = store.openSession().id();
    store.session(session).update(1, count.increment(), elsewhere.increment());
    store.checkpoint();

    Store after = afterPowerCut(disks, store).open(late(partitions));

    assertThat(after.read(count)).isEqualTo(1);
    after.session(session).update(1, count.increment(), elsewhere.increment());
    Values values = after.read(List.of(count, elsewhere));
    assertThat(values.get(count)).isEqualTo(1);
    assertThat(values.get(elsewhere)).isEqualTo(1);
    after.close();
  }

  /** A journal that holds back the first write with some text until it is released. */
  private static final class HeldJournal extends ForwardingSegments {
    private final String text;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    HeldJournal(SegmentStore segments, String text) {
      super(segments);
      this.text = text;
    }

    @Override
    public long append(byte[] chunk, int length) throws IOException {
      if (new String(chunk, 0, length, ISO_8859_1).contains(text)) {
        reached.countDown();
        await(released);
      }
      return super.append(chunk, length);
    }

    static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  /** A counter on a partition. */
  private static CounterKey counterOn(int partition, String name) {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> Key.counter("b", name + i))
        .filter(key -> new Routing(0, PARTITIONS).partition(key.id()) == partition)
        .findFirst()
        .orElseThrow();
  }

  /**
   * A joint sync covers the decision of a transaction on partition 0, and of partition 1 only the
   * prepared part. Once that is committed, partition 1 may raise its low watermark above the
   * snapshot of the transaction; an opening takes a prepared part below the watermark for aborted.
   */
  @Test
  void aLowWatermarkIsNotDurableBeforeTheOutcomesThatItHasPassed() {
    CounterKey left = counterOn(0, "left");
    CounterKey right = counterOn(1, "right");
    CounterKey third = counterOn(2, "third");
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    HeldJournal coordinator = new HeldJournal(disks.partitions().get(0).journal(), "left");
    EmbeddedStore store = openWith(disks, coordinator);
    Partition participant = partition(store, right);
    Transaction transaction = store.begin();
    transaction.update(left.increment(), right.increment());
    store.update(counterOn(1, "newer").increment());
    participant.checkpoint();
    store.update(third.increment());
    int forces = disks.partitions().get(1).journal().forces();

    CompletableFuture<Void> commit = CompletableFuture.runAsync(transaction::commit, THREADS);
    HeldJournal.await(coordinator.reached);
    CompletableFuture<Void> jointSync =
        CompletableFuture.runAsync(partition(store, third)::checkpoint, THREADS);
    await(() -> disks.partitions().get(1).journal().forces() > forces);
    coordinator.released.countDown();
    CompletableFuture.allOf(commit, jointSync).join();
    participant.awaitComplete(partition(store, left).newest());
    disks.files().cutAfter(disks.files().operations());
    store.update(third.increment());
    assertThatThrownBy(participant::checkpoint).hasMessageContaining(SyncedFile.FILE);

    Store after = afterPowerCut(disks, store).open(LATE);

    assertThat(after.read(left)).isEqualTo(1);
    assertThat(after.read(right)).isEqualTo(1);
    after.close();
  }

  /** Opens a store whose first partition has this journal. */
  private static EmbeddedStore openWith(LossyDisks disks, SegmentStore first) {
    List<PartitionFiles> files = new ArrayList<>();
    for (LossyDisk disk : disks.partitions()) {
      files.add(new PartitionFiles(files.isEmpty() ? first : disk.journal(), disk.checkpoints()));
    }
    return (EmbeddedStore)
        StoreOpening.openOn(disks.openings().incrementAndGet(), files, disks.synced(), LATE);
  }

  private static Partition partition(EmbeddedStore store, Key<?> key) {
    return store.partitions().of(key.id()).local().orElseThrow();
  }

  @Test
  void syncsWritesWithinTheInterval() throws Exception {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(options(Duration.ofMillis(5), PARTITIONS));
    for (int round = 1; round <= 20; round++) {
      String before = file(disks);
      store.update(count.increment(), elsewhere.increment());
      long deadline = System.nanoTime() + 20_000_000_000L;
      while (file(disks).equals(before)) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        Thread.onSpinWait();
      }
    }
    store.update(elsewhere.increment());
    store.checkpoint();

    Store after = afterPowerCut(disks, store).open(LATE);

    assertThat(after.read(count)).isEqualTo(20);
    assertThat(after.read(elsewhere)).isEqualTo(21);
    after.close();
  }

  private static String file(LossyDisks disks) throws IOException {
    return new String(disks.files().read(SyncedFile.FILE, 1_000), US_ASCII);
  }

  @Test
  void aKilledProcessLosesNothing() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment(), elsewhere.increment());

    LossyDisks left = disks.afterKill();

    try (Store after = left.open(LATE)) {
      assertThat(after.read(count)).isEqualTo(1);
      assertThat(after.read(elsewhere)).isEqualTo(1);
    }
    store.close();
  }

  @Test
  void syncsWritesOfAKilledProcessWhenTheStoreReopens() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store killed = disks.open(LATE);
    killed.update(count.increment(), elsewhere.increment());
    LossyDisks left = disks.afterKill();
    Store opened = left.open(LATE);

    Store after = afterPowerCut(left, opened).open(LATE);

    assertThat(after.read(count)).isEqualTo(1);
    assertThat(after.read(elsewhere)).isEqualTo(1);
    after.close();
    killed.close();
  }

  @Test
  void anOrderlyCloseKeepsEverythingAndLeavesNoFile() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    try (Store store = disks.open(LATE)) {
      store.update(count.increment(), elsewhere.increment());
      assertThat(hasFile(disks)).isTrue();
    }
    assertThat(hasFile(disks)).isFalse();

    LossyDisks next = disks.afterPowerCut(new Random(0), 0);

    try (Store after = next.open(LATE)) {
      assertThat(after.read(count)).isEqualTo(1);
    }
  }

  @Test
  void anOpeningThatSyncsEachCommitNeedsNoFile() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store killed = disks.open(LATE);
    killed.update(count.increment());
    LossyDisks left = disks.afterKill();
    Store store = left.open(LATE.withDurability(Durability.batch()));
    assertThat(hasFile(left)).isFalse();
    store.update(count.increment());

    Store after = afterPowerCut(left, store).open(LATE);

    assertThat(after.read(count)).isEqualTo(2);
    after.close();
    killed.close();
  }

  @Test
  void allPartitionsFailIfTheFileCannotBeWritten() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment(), elsewhere.increment());
    disks.files().failAt(disks.files().operations() + 1);

    assertThatThrownBy(store::checkpoint)
        .isInstanceOf(StablecutException.class)
        .hasMessageContaining(SyncedFile.FILE)
        .hasMessageContaining("injected fault");

    assertAllFail(store);
    LossyDisks left = disks.afterKill();
    try (Store after = left.open(LATE)) {
      assertThat(after.read(count)).isEqualTo(1);
      assertThat(after.read(elsewhere)).isEqualTo(1);
    }
    store.close();
    assertThat(hasFile(disks)).isTrue();
  }

  private void assertAllFail(Store store) {
    for (CounterKey key : List.of(count, elsewhere)) {
      assertThatThrownBy(() -> store.update(key.increment()))
          .isInstanceOf(ReopenException.class)
          .hasMessageContaining("injected fault");
    }
  }

  @Test
  void allPartitionsFailIfOneCannotBeSynced() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment(), elsewhere.increment());
    journalOfCount(disks).failOnce(1);

    assertThatThrownBy(store::checkpoint)
        .isInstanceOf(ReopenException.class)
        .hasMessageContaining("injected fault");

    assertAllFail(store);
    store.close();
  }

  @Test
  void aDamagedFileIsAnError() throws Exception {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment());
    LossyDisks left = disks.afterKill();
    left.files().overwrite(SyncedFile.FILE, 20, 'x');

    assertThatThrownBy(() -> left.open(LATE))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("SYNCED is damaged")
        .hasMessageContaining("delete the file");
    store.close();
  }

  @Test
  void aJournalThatEndsBeforeItsNumberIsDamaged() throws Exception {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment());
    LossyDisks left = disks.afterPowerCut(new Random(0), 1);
    disks.synced().write(new long[] {100, 100, 100});
    LossyDisks damaged =
        new LossyDisks(left.partitions(), disks.files().afterKill(), left.openings(), left.boots());

    assertThatThrownBy(() -> damaged.open(LATE))
        .isInstanceOf(CorruptJournalException.class)
        .hasMessageContaining("synced together with the other partitions");
    store.close();
  }

  /** At any write of any partition, or of the file. */
  @Test
  void anotherPowerCutMayInterruptAnOpeningAfterOne() {
    LossyDisks disks = LossyDisks.empty(PARTITIONS);
    Store store = disks.open(LATE);
    store.update(count.increment(), elsewhere.increment());
    store.checkpoint();
    for (int i = 0; i < 15; i++) {
      // Synced segments whose records are not jointly synced.
      store.update(large.assign(LARGE), elsewhere.increment());
    }
    LossyDisks left = afterPowerCut(disks, store, 1);
    int failures = 0;
    for (int fault = 1; fault <= 6; fault++) {
      for (int place = 0; place <= PARTITIONS; place++) {
        LossyDisks opening = left.afterKill();
        if (place < PARTITIONS) {
          opening.partitions().get(place).journal().failOnce(fault);
        } else {
          opening.files().failAt(fault);
        }
        failures += opensAndEnds(opening) ? 0 : 1;
        try (Store after = opening.afterPowerCut(new Random(fault), 0.5).open(LATE)) {
          assertThat(after.read(count)).isEqualTo(1);
          assertThat(after.read(elsewhere)).isEqualTo(1);
          assertThat(after.read(large)).isEmpty();
        }
      }
    }
    assertThat(failures).isGreaterThan(8);
  }

  private static boolean opensAndEnds(LossyDisks disks) {
    try (Store opened = disks.open(LATE)) {
      return opened != null;
    } catch (StablecutException fault) {
      return false;
    }
  }
}
