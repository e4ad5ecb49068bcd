package io.github.stablecut.option;

import io.github.stablecut.Store;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * The schedule of a store's checkpoints, and the retention of the past. Immutable.
 *
 * <p>A checkpoint contains the objects that changed since the last one. It lets the store open
 * without reading the whole journal. It also allows truncation: journal files whose records no
 * readable snapshot needs are deleted.
 *
 * <p>If checkpoints fail or fall behind, the store throttles writers. This starts once four times
 * {@code journalBytes} (at least 64 MiB) or four times {@code effects} (at least 10,000) are in no
 * checkpoint. After {@link Timeouts#commit}, it refuses them with {@link
 * CheckpointBacklogException}. Operations that are in no checkpoint take about 350 bytes each, and
 * at most a quarter of the JVM's heap in all partitions: with a small heap, checkpoints are made
 * earlier than configured. {@link #byCall} never throttles.
 *
 * @param journalBytes a checkpoint is due when the journal has grown by this much since the last
 *     one; default 256 MiB
 * @param effects a checkpoint is due after this many operations; default 500,000
 * @param interval a checkpoint is due after this time if anything was committed; default 10
 *     minutes; capped at a century
 * @param retention how long unpinned snapshots are readable; default 1 hour; capped at a century
 * @param pagedFromBytes the state size from which an object is stored in pages, of which a
 *     checkpoint writes only the changed ones; at most 1 GiB, default 64 KiB
 */
public record CheckpointPolicy(
    long journalBytes, long effects, Duration interval, Duration retention, int pagedFromBytes) {
  /** The cap of durations: a century. */
  private static final Duration FOREVER = Duration.ofDays(36_525);

  private static final int MAX_PAGED_FROM_BYTES = 1 << 30;

  private static final CheckpointPolicy DEFAULTS =
      new CheckpointPolicy(
          256L << 20, 500_000, Duration.ofMinutes(10), Duration.ofHours(1), 64 << 10);

  /** Checks the ranges. */
  public CheckpointPolicy {
    if (retention.isNegative()) {
      throw new IllegalArgumentException(
          "retention must not be negative, but is %s".formatted(DurationWords.of(retention)));
    }
    if (journalBytes < 1 || effects < 1 || interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException(
          "journalBytes and effects must be at least 1, and interval above 0, not %,d, %,d and %s"
              .formatted(journalBytes, effects, DurationWords.of(interval)));
    }
    if (pagedFromBytes < 1 || pagedFromBytes > MAX_PAGED_FROM_BYTES) {
      throw new IllegalArgumentException(
          "pagedFromBytes must be 1 to %,d, not %,d"
              .formatted(MAX_PAGED_FROM_BYTES, pagedFromBytes));
    }
    interval = capped(interval);
    retention = capped(retention);
  }

  private static Duration capped(Duration duration) {
    return duration.compareTo(FOREVER) > 0 ? FOREVER : duration;
  }

  /** The default policy. */
  public static CheckpointPolicy defaults() {
    return DEFAULTS;
  }

  /** A policy with checkpoints only on request ({@link Store#checkpoint}). */
  public static CheckpointPolicy byCall() {
    return new CheckpointPolicy(
        Long.MAX_VALUE, Long.MAX_VALUE, FOREVER, DEFAULTS.retention, DEFAULTS.pagedFromBytes);
  }

  /** Sets {@code journalBytes}. */
  public CheckpointPolicy withJournalBytes(long bytes) {
    return new CheckpointPolicy(bytes, effects, interval, retention, pagedFromBytes);
  }

  /** Sets {@code effects}. */
  public CheckpointPolicy withEffects(long count) {
    return new CheckpointPolicy(journalBytes, count, interval, retention, pagedFromBytes);
  }

  /** Sets the interval. */
  public CheckpointPolicy withInterval(Duration newInterval) {
    return new CheckpointPolicy(journalBytes, effects, newInterval, retention, pagedFromBytes);
  }

  /** Sets the retention; zero retains only snapshots in use. */
  public CheckpointPolicy withRetention(Duration newRetention) {
    return new CheckpointPolicy(journalBytes, effects, interval, newRetention, pagedFromBytes);
  }

  /** Sets {@code pagedFromBytes}. */
  public CheckpointPolicy withPagedFromBytes(int bytes) {
    return new CheckpointPolicy(journalBytes, effects, interval, retention, bytes);
  }

  /** Retains every snapshot: the journal is never truncated. */
  public CheckpointPolicy withEndlessRetention() {
    return withRetention(FOREVER);
  }
}
