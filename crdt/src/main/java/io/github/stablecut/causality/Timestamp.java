package io.github.stablecut.causality;

import java.time.Instant;

/**
 * The layout of a timestamp: one value of a hybrid logical clock with the partition in the low bits
 * (Kulkarni et al., "Logical Physical Clocks", 2014). So timestamps of one data centre are unique
 * and plain {@code long} order is time order.
 *
 * <pre>
 *   bit  63  62 .............. 21  20 ..... 10  9 ....... 0
 *        0   ms since 2020-01-01   logical      partition
 *            42 bits, to 2159      11 bits      10 bits
 * </pre>
 *
 * <p>Time and logical part together are the <em>count</em>: a clock raises it by one for each
 * event, so with more than 2,048 events in a millisecond it runs ahead of the physical clock.
 * Timestamps are {@code long}s, not objects, because there is one per effect in memory; only this
 * class depends on their bits. Zero is before every event.
 */
public final class Timestamp {
  /** The maximum number of partitions of a data centre. */
  public static final int MAX_PARTITIONS = 1 << 10;

  private static final int PARTITION_BITS = 10;
  private static final int LOGICAL_BITS = 11;
  private static final int MILLIS_SHIFT = PARTITION_BITS + LOGICAL_BITS;
  private static final long EPOCH_MILLIS = Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();
  private static final long MAX_MILLIS = (1L << 42) - 1;

  private Timestamp() {}

  /** The timestamp of a count at a partition. */
  public static long of(long count, int partition) {
    return count << PARTITION_BITS | partition;
  }

  /** The count of a timestamp: all but its partition. */
  public static long count(long timestamp) {
    return timestamp >>> PARTITION_BITS;
  }

  /** The partition that issued a timestamp. */
  public static int partition(long timestamp) {
    return (int) (timestamp & MAX_PARTITIONS - 1);
  }

  /**
   * The smallest count at a physical time. Times before 2020 give 0, times after 2159 the last one,
   * so that a broken machine clock can make a timestamp late but never malformed.
   *
   * @param epochMillis milliseconds since 1970
   */
  public static long countAt(long epochMillis) {
    return Math.max(0, Math.min(epochMillis - EPOCH_MILLIS, MAX_MILLIS)) << LOGICAL_BITS;
  }

  /**
   * The last timestamp of a physical time: everything at or before that millisecond is at or before
   * it. 0 before 2020.
   *
   * @param epochMillis milliseconds since 1970
   */
  public static long lastAt(long epochMillis) {
    return epochMillis < EPOCH_MILLIS
        ? 0
        : countAt(epochMillis) << PARTITION_BITS | (1L << MILLIS_SHIFT) - 1;
  }

  /** The physical part of a timestamp, in milliseconds since 1970. */
  public static long epochMillis(long timestamp) {
    return (timestamp >>> MILLIS_SHIFT) + EPOCH_MILLIS;
  }

  /** The physical part of the latest time in a vector, in milliseconds since 1970. */
  public static long epochMillis(VectorClock vector) {
    return epochMillis(vector.max());
  }

  /** The latest time in a vector in readable form, as {@link #format(long)}. */
  public static String format(VectorClock vector) {
    return format(vector.max());
  }

  /**
   * A timestamp in readable form: its physical time and its logical part, such as {@code
   * 2026-11-20T08:00:00.123Z+4}.
   */
  public static String format(long timestamp) {
    long logical = count(timestamp) & (1 << LOGICAL_BITS) - 1;
    return Instant.ofEpochMilli(epochMillis(timestamp)) + "+" + logical;
  }
}
