package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Reads of a store of two partitions, one of whose journals has failed: they see the other
 * partition's commits, and no commit that reopening may lose.
 */
final class FailedJournalReadsTest {
  private static final Duration BEYOND_THE_CEILING = Duration.ofMinutes(1);

  private final LossyDisks disks = LossyDisks.empty(2);
  private volatile Instant now = Instant.parse("2026-11-20T08:00:00Z");

  private final StoreOptions options =
      StoreOptions.defaults()
          .withPartitions(2)
          .withClock(() -> now)
          .withMaxClockJump(Duration.ofHours(1))
          .withLimits(LossyDisk.LIMITS);

  private static List<CounterKey> keysOf(Store store, int partition) {
    return IntStream.range(0, 100)
        .mapToObj(i -> Key.counter("b", "k" + i))
        .filter(key -> store.partitionOf(key) == partition)
        .limit(2)
        .toList();
  }

  /** Increments in transactions on one partition each, which leave nothing to be written later. */
  private static void incrementEach(Store store, CounterKey... keys) {
    for (CounterKey key : keys) {
      store.update(key.increment());
    }
  }

  /** Fails the next sync of the first partition, after its records are written. */
  private void failNextSync() {
    disks.partitions().get(0).journal().failOnce(2);
  }

  @Test
  void seeCommitsOfOtherPartitionsAndNothingThatReopeningMayLose() {
    CounterKey inDoubt;
    CounterKey untouched;
    try (Store store = disks.open(options)) {
      inDoubt = keysOf(store, 0).get(0);
      untouched = keysOf(store, 0).get(1);
      CounterKey other = keysOf(store, 1).get(0);
      incrementEach(store, inDoubt, untouched, other);
      failNextSync();
      assertThatThrownBy(() -> store.update(inDoubt.increment()))
          .isInstanceOf(JournalFailedException.class);

      for (int i = 2; i <= 4; i++) {
        now = now.plus(BEYOND_THE_CEILING);
        store.update(other.increment());

        assertThat(store.read(untouched)).isEqualTo(1);
        assertThat(store.readLatest(untouched)).isEqualTo(1);
        Snapshot snapshot = store.snapshot();
        assertThat(snapshot.read(untouched)).isEqualTo(1);
        assertThat(snapshot.read(other)).isEqualTo(i);
        assertThatThrownBy(() -> store.read(inDoubt)).isInstanceOf(JournalFailedException.class);
        assertThatThrownBy(() -> count(store)).isInstanceOf(JournalFailedException.class);
      }
    }
    try (Store store = disks.afterKill().open(options)) {
      assertThat(store.read(inDoubt)).isBetween(1L, 2L);
      assertThat(store.read(untouched)).isEqualTo(1);
    }
  }

  @Test
  void scanIfNoCommitWasInFlight() {
    try (Store store = disks.open(options)) {
      CounterKey kept = keysOf(store, 0).get(0);
      CounterKey other = keysOf(store, 1).get(0);
      incrementEach(store, kept, other);
      // Only the clock ceiling is written when time passes without commits.
      failNextSync();
      now = now.plus(BEYOND_THE_CEILING);
      store.update(other.increment());
      assertThat(store.read(kept)).isEqualTo(1);
      assertThatThrownBy(() -> store.update(kept.increment()))
          .isInstanceOf(JournalFailedException.class);

      now = now.plus(BEYOND_THE_CEILING);
      store.update(other.increment());

      assertThat(count(store)).isEqualTo(2);
      assertThat(store.read(other)).isEqualTo(3);
    }
  }

  @Test
  void neverSeeHalfATransactionOverBothPartitions() {
    CounterKey here;
    CounterKey there;
    try (Store store =
        disks.open(options.withTimeouts(options.timeouts().withRead(Duration.ofMillis(100))))) {
      here = keysOf(store, 0).get(0);
      there = keysOf(store, 1).get(0);
      CounterKey untouched = keysOf(store, 0).get(1);
      CounterKey other = keysOf(store, 1).get(1);
      incrementEach(store, here, there, untouched);
      failNextSync();
      assertThatThrownBy(() -> store.update(here.increment(), there.increment()))
          .isInstanceOf(StablecutException.class);

      now = now.plus(BEYOND_THE_CEILING);
      store.update(other.increment());

      assertThat(store.read(untouched)).isEqualTo(1);
      Snapshot snapshot = store.snapshot();
      assertThat(valueOrMinus1(snapshot, here)).isIn(-1L, 1L);
      assertThat(valueOrMinus1(snapshot, there)).isIn(-1L, 1L);
    }
    try (Store store = disks.afterKill().open(options)) {
      assertThat(store.read(here)).isEqualTo(store.read(there));
    }
  }

  private static long valueOrMinus1(Snapshot snapshot, CounterKey key) {
    try {
      return snapshot.read(key);
    } catch (StablecutException e) {
      return -1;
    }
  }

  private static int count(Store store) {
    int[] found = {0};
    try (var scan = store.snapshot().scan(ScanOptions.bucket("b"))) {
      scan.forEachRemaining(object -> found[0]++);
    }
    return found[0];
  }
}
