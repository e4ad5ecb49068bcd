package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Disks that are full or fail: commits fail, reads continue, and reopening recovers. */
final class DiskFaultTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");
  private static final long RESERVE = 1 << 20;
  private static final long UNLIMITED = 1L << 40;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withLimits(StoreOptions.Limits.defaults().withReserveBytes(RESERVE).withEffectBytes(0));

  private static Store open(LossySegments segments) {
    return StoreOpening.open(segments, new LossyDirectory(), OPTIONS);
  }

  @Test
  void aFullDiskRefusesCommitsServesReadsAndCommitsAgainWithRoom() {
    LossySegments segments = new LossySegments(RESERVE * 2);
    try (Store store = open(segments)) {
      store.update(COUNTER.increment());
      segments.setCapacity(RESERVE);
      store.update(COUNTER.increment()); // it notices, and in-flight commits use the reserve

      assertThatThrownBy(() -> store.update(COUNTER.increment()))
          .isInstanceOf(DiskFullException.class)
          .hasMessageContaining("free some space");
      assertThat(store.read(COUNTER)).isEqualTo(2);
      assertThat(store.status().openTransactions()).isZero();

      segments.setCapacity(RESERVE * 2);
      store.update(COUNTER.increment());
      assertThat(store.read(COUNTER)).isEqualTo(3);
    }
  }

  @Test
  void dropsACheckpointThatDoesNotFitAndContinues() {
    LossyDirectory checkpoints = new LossyDirectory();
    try (Store store = StoreOpening.open(new LossySegments(), checkpoints, OPTIONS)) {
      store.update(COUNTER.increment());
      store.checkpoint();
      CausalToken checkpointTime = store.status().times().checkpointTime();
      checkpoints.setCapacity(RESERVE / 4);
      for (int tries = 2; tries <= 3; tries++) {
        store.update(COUNTER.increment());

        assertThatThrownBy(store::checkpoint)
            .isInstanceOf(CheckpointDroppedException.class)
            .hasMessageContaining("no space");
        assertThat(store.read(COUNTER)).isEqualTo(tries);
        assertThat(store.at(checkpointTime).read(COUNTER)).isEqualTo(1);
        assertThat(store.status().times().checkpointTime()).isEqualTo(checkpointTime);
      }

      checkpoints.setCapacity(Long.MAX_VALUE);
      store.checkpoint();
      assertThat(store.status().times().checkpointTime()).isNotEqualTo(checkpointTime);
      assertThat(store.read(COUNTER)).isEqualTo(3);
    }
  }

  private static final RegisterKey<String> LARGE = Key.register("b", "large", Codec.string());

  /** With the smallest segments, and checkpoints at an interval. */
  private static StoreOptions small(Duration interval) {
    return OPTIONS
        .withLimits(OPTIONS.limits().withSegmentBytes(1 << 20))
        .withCheckpoints(
            CheckpointPolicy.byCall().withInterval(interval).withRetention(Duration.ZERO));
  }

  private static void fillSegments(Store store) {
    for (int i = 0; i < 8; i++) {
      store.update(LARGE.assign(i + "x".repeat(500_000)));
    }
  }

  @Test
  void truncationDoesNotDependOnTheNextCheckpoint() {
    LossySegments segments = new LossySegments();
    LossyDirectory checkpoints = new LossyDirectory();
    StoreOptions options = small(Duration.ofDays(1));
    try (Store store = StoreOpening.open(segments, checkpoints, options)) {
      Pin pin = store.pin(store.update(COUNTER.increment()));
      fillSegments(store);
      store.checkpoint();
      int before = segments.segments().size();
      assertThat(before).isGreaterThan(2);
      pin.close();
      store.update(COUNTER.increment());
      checkpoints.setCapacity(UNLIMITED);
      checkpoints.setCapacity(UNLIMITED - checkpoints.usableBytes() + RESERVE / 4);

      assertThatThrownBy(store::checkpoint).isInstanceOf(CheckpointDroppedException.class);

      assertThat(segments.segments()).hasSizeLessThan(before);
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  /** No caller requests a checkpoint, and no commit makes one due. */
  @Test
  void aFullDiskFreesItselfOnceItsDataIsUnneeded() throws InterruptedException {
    LossySegments segments = new LossySegments();
    LossyDirectory checkpoints = new LossyDirectory();
    StoreOptions options = small(Duration.ofMillis(20));
    try (Store store = StoreOpening.open(segments, checkpoints, options)) {
      Pin pin = store.pin(store.update(COUNTER.increment()));
      fillSegments(store);
      segments.setCapacity(UNLIMITED);
      segments.setCapacity(UNLIMITED - segments.usableBytes() + RESERVE);
      CausalToken last = store.update(COUNTER.increment()); // uses the reserve
      assertThatThrownBy(() -> store.update(LARGE.assign("no room")))
          .isInstanceOf(DiskFullException.class);
      int before = segments.segments().size();

      pin.close();
      while (segments.segments().size() >= before) {
        Thread.sleep(1);
      }

      assertThat(store.update(LARGE.assign("room")).vector().max())
          .isGreaterThan(last.vector().max());
      assertThat(store.read(LARGE)).contains("room");
    }
  }

  @Test
  void afterAFailedSyncAcknowledgesNothingServesReadsAndRecoversWhenReopened() {
    LossySegments segments = new LossySegments();
    Store store = open(segments);
    store.update(COUNTER.increment());
    segments.failOnce(2); // the append succeeds, the sync does not
    int forces = segments.forces();

    assertThatThrownBy(() -> store.update(COUNTER.increment(10)))
        .isInstanceOf(JournalFailedException.class);
    assertThat(segments.forces()).isEqualTo(forces + 1);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> store.update(COUNTER.increment(100)))
          .isInstanceOf(JournalFailedException.class)
          .hasMessageContaining("reopen");
      assertThat(store.read(COUNTER)).isEqualTo(1);
      assertThat(store.begin().read(COUNTER)).isEqualTo(1);
    }
    assertThat(segments.forces()).as("no sync is tried again").isEqualTo(forces + 1);
    store.close();

    try (Store lost = open(segments.afterPowerCut((segment, page) -> false));
        Store kept = open(segments.afterKill())) {
      assertThat(lost.read(COUNTER)).isEqualTo(1);
      assertThat(kept.read(COUNTER)).isEqualTo(11);
      lost.update(COUNTER.increment());
      assertThat(lost.read(COUNTER)).isEqualTo(2);
    }
  }

  @Test
  void aFailedJournalDoesNotKeepReadersFromBeginning() {
    LossySegments segments = new LossySegments();
    try (Store store = open(segments)) {
      segments.failOnce(1);

      assertThat(store.begin().read(COUNTER)).as("the clock's record is lost").isZero();
      assertThat(store.begin().read(COUNTER)).isZero();
      assertThatThrownBy(() -> store.update(COUNTER.increment()))
          .isInstanceOf(JournalFailedException.class);
    }
  }

  @Test
  void countsFailingCheckpointsUntilOneSucceeds() {
    LossyDisk disk = LossyDisk.empty();
    try (Store store = disk.open(StoreOptions.defaults().withLimits(LossyDisk.LIMITS))) {
      store.update(COUNTER.increment());
      disk.checkpoints().cutAfter(disk.checkpoints().operations());
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(store::checkpoint).isInstanceOf(StablecutException.class);
      }
      assertThat(store.status().checkpoints().failures()).isGreaterThanOrEqualTo(2);

      disk.checkpoints().cutAfter(Integer.MAX_VALUE);
      store.checkpoint();

      assertThat(store.status().checkpoints().failures()).isZero();
    }
  }
}
