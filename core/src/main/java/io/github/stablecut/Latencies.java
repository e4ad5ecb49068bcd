package io.github.stablecut;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * A histogram of the latencies of one kind of call, with a relative error of at most a quarter.
 * Counts start when the store is opened; {@link #since} returns the latencies between two moments.
 * Immutable.
 */
public final class Latencies {
  /** The number of buckets per power of two. */
  private static final int STEPS = 4;

  /**
   * The exponent of the lowest power of two: shorter calls, of up to 1 µs, are counted in the first
   * bucket.
   */
  private static final int FIRST_BITS = 10;

  /** The number of buckets; the last one starts at about an hour and has no upper bound. */
  public static final int BUCKETS = STEPS * 32;

  private static final Latencies NONE = new Latencies(new long[BUCKETS]);

  private final long[] counts;

  private Latencies(long[] counts) {
    this.counts = counts;
  }

  /** The latencies of no calls. */
  public static Latencies none() {
    return NONE;
  }

  /**
   * Creates latencies from counts. For implementations of {@link Store}.
   *
   * @param counts the number of calls per {@linkplain #bucketOf bucket}, {@link #BUCKETS} of them
   */
  public static Latencies of(long[] counts) {
    if (counts.length != BUCKETS) {
      throw new IllegalArgumentException(
          "latencies need %d counts, not %d".formatted(BUCKETS, counts.length));
    }
    return new Latencies(counts.clone());
  }

  /** The bucket that counts calls of a duration. For implementations of {@link Store}. */
  public static int bucketOf(long nanos) {
    long clipped = Math.max(1L << FIRST_BITS, nanos);
    int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(clipped);
    int step = (int) ((clipped >>> (bits - 2)) & (STEPS - 1));
    return Math.min(BUCKETS - 1, (bits - FIRST_BITS) * STEPS + step);
  }

  /** The longest duration that a bucket counts, in nanoseconds. */
  private static long upperBoundNanos(int bucket) {
    int bits = bucket / STEPS + FIRST_BITS;
    return (1L << bits) + ((bucket % STEPS + 1L) << (bits - 2)) - 1;
  }

  /**
   * The number of calls per {@linkplain #bucketOf bucket}. For implementations of {@link Store}.
   */
  public LongStream counts() {
    return Arrays.stream(counts);
  }

  /** The number of calls. */
  public long count() {
    return Arrays.stream(counts).sum();
  }

  /**
   * The duration within which a fraction of the calls completed, at most a quarter too long; zero
   * if there were no calls.
   *
   * @param fraction 0 to 1, such as 0.99 for the 99th percentile; 1 returns the longest duration
   */
  public Duration within(double fraction) {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException("the fraction of calls must be 0 to 1, not " + fraction);
    }
    long rank = Math.max(1, (long) Math.ceil(fraction * count()));
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Duration.ofNanos(upperBoundNanos(i));
      }
    }
    return Duration.ZERO;
  }

  /** The calls counted after an earlier reading of the same latencies. */
  public Latencies since(Latencies earlier) {
    long[] difference = new long[BUCKETS];
    Arrays.setAll(difference, i -> Math.max(0, counts[i] - earlier.counts[i]));
    return new Latencies(difference);
  }

  /** The sum of these latencies and others. */
  public Latencies and(Latencies others) {
    long[] sum = new long[BUCKETS];
    Arrays.setAll(sum, i -> counts[i] + others.counts[i]);
    return new Latencies(sum);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Latencies that && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "Latencies[count=%d, median=%s, 99%%=%s, longest=%s]"
        .formatted(count(), within(0.5), within(0.99), within(1));
  }
}
