package io.github.stablecut.option;

import io.github.stablecut.Store;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * When checkpoints are made, and how long the past is kept. Immutable.
 *
 * <p>A checkpoint holds the objects that changed since the last one. It lets the store open without
 * reading the whole journal, and lets journal files go whose records no snapshot needs that may
 * still be read.
 *
 * <p>If checkpoints can't keep up with the writers, or fail, the writers are held back when four
 * times {@code journalBytes} (64 MiB at least) or {@code effects} (10,000 at least) are in no
 * checkpoint, and after {@link Timeouts#commit} they are refused with {@link
 * CheckpointBacklogException}. Operations that are in no checkpoint take about 350 bytes each, and
 * no more than a quarter of the JVM's heap in all partitions: with a small heap checkpoints are
 * made earlier than this says. {@link #byCall} holds nobody back.
 *
 * @param journalBytes a checkpoint is due when the journal has grown by so much since the last;
 *     default 256 MiB
 * @param effects or when so many operations were committed; default 500,000
 * @param interval or when so much time has passed and anything was committed; default 10 minutes;
 *     more than a century counts as a century
 * @param retention how long unpinned snapshots can be read; default 1 hour; more than a century
 *     counts as a century
 * @param pagedFromBytes from this size on, the state of an object is stored in pages, of which a
 *     checkpoint writes those that have changed; at most 1 GiB, default 64 KiB
 */
public record CheckpointPolicy(
    long journalBytes, long effects, Duration interval, Duration retention, int pagedFromBytes) {
  /** A century. */
  private static final Duration FOREVER = Duration.ofDays(36_525);

  private static final int MAX_PAGED_FROM_BYTES = 1 << 30;

  private static final CheckpointPolicy DEFAULTS =
      new CheckpointPolicy(
          256L << 20, 500_000, Duration.ofMinutes(10), Duration.ofHours(1), 64 << 10);

  /** Checks the ranges. */
  public CheckpointPolicy {
    if (retention.isNegative()) {
      throw new IllegalArgumentException(
          "retention is not below 0, as %s is".formatted(DurationWords.of(retention)));
    }
    if (journalBytes < 1 || effects < 1 || interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException(
          "journalBytes and effects are at least 1, and interval is above 0, not %,d, %,d and %s"
              .formatted(journalBytes, effects, DurationWords.of(interval)));
    }
    if (pagedFromBytes < 1 || pagedFromBytes > MAX_PAGED_FROM_BYTES) {
      throw new IllegalArgumentException(
          "pagedFromBytes is from 1 to %,d, not %,d"
              .formatted(MAX_PAGED_FROM_BYTES, pagedFromBytes));
    }
    interval = atMostForever(interval);
    retention = atMostForever(retention);
  }

  private static Duration atMostForever(Duration duration) {
    return duration.compareTo(FOREVER) > 0 ? FOREVER : duration;
  }

  /** The default. */
  public static CheckpointPolicy defaults() {
    return DEFAULTS;
  }

  /** Checkpoints by call only ({@link Store#checkpoint}). */
  public static CheckpointPolicy byCall() {
    return new CheckpointPolicy(
        Long.MAX_VALUE, Long.MAX_VALUE, FOREVER, DEFAULTS.retention, DEFAULTS.pagedFromBytes);
  }

  /** This policy with another size of the journal. */
  public CheckpointPolicy withJournalBytes(long bytes) {
    return new CheckpointPolicy(bytes, effects, interval, retention, pagedFromBytes);
  }

  /** This policy with another number of operations. */
  public CheckpointPolicy withEffects(long count) {
    return new CheckpointPolicy(journalBytes, count, interval, retention, pagedFromBytes);
  }

  /** This policy with another interval. */
  public CheckpointPolicy withInterval(Duration newInterval) {
    return new CheckpointPolicy(journalBytes, effects, newInterval, retention, pagedFromBytes);
  }

  /** This policy with another retention; zero keeps only what is in use. */
  public CheckpointPolicy withRetention(Duration newRetention) {
    return new CheckpointPolicy(journalBytes, effects, interval, newRetention, pagedFromBytes);
  }

  /** This policy with another size from which on states are stored in pages. */
  public CheckpointPolicy withPagedFromBytes(int bytes) {
    return new CheckpointPolicy(journalBytes, effects, interval, retention, bytes);
  }

  /** This policy with every snapshot kept: the journal is never truncated. */
  public CheckpointPolicy withEndlessRetention() {
    return withRetention(FOREVER);
  }
}
