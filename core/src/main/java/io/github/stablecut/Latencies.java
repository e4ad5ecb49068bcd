package io.github.stablecut;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * How long calls of one kind took: how many took how long, within a quarter. Counted since the
 * store was opened; what was counted between two moments is {@link #since}. Immutable.
 */
public final class Latencies {
  /** Each doubling of a time has so many steps. */
  private static final int STEPS = 4;

  /** The shortest times that are told apart are 1 to 2 microseconds: 2^10 nanoseconds. */
  private static final int FIRST_BITS = 10;

  /** The number of steps; the last one is from half an hour up. */
  public static final int BUCKETS = STEPS * 32;

  private static final Latencies NONE = new Latencies(new long[BUCKETS]);

  private final long[] counts;

  private Latencies(long[] counts) {
    this.counts = counts;
  }

  /** Of no calls. */
  public static Latencies none() {
    return NONE;
  }

  /**
   * Of some calls. For implementations of {@link Store}.
   *
   * @param counts the number of calls by their {@link #bucketOf}, {@link #BUCKETS} of them
   */
  public static Latencies of(long[] counts) {
    if (counts.length != BUCKETS) {
      throw new IllegalArgumentException(
          "latencies have %d counts, not %d".formatted(BUCKETS, counts.length));
    }
    return new Latencies(counts.clone());
  }

  /** Where calls of some nanoseconds are counted. For implementations of {@link Store}. */
  public static int bucketOf(long nanos) {
    long clipped = Math.max(1L << FIRST_BITS, nanos);
    int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(clipped);
    int step = (int) ((clipped >>> (bits - 2)) & (STEPS - 1));
    return Math.min(BUCKETS - 1, (bits - FIRST_BITS) * STEPS + step);
  }

  /** The longest time that is counted in a bucket, in nanoseconds. */
  private static long longestOf(int bucket) {
    int bits = bucket / STEPS + FIRST_BITS;
    return (1L << bits) + ((bucket % STEPS + 1L) << (bits - 2)) - 1;
  }

  /** The number of calls by their {@link #bucketOf}. For implementations of {@link Store}. */
  public LongStream counts() {
    return Arrays.stream(counts);
  }

  /** How many calls there were. */
  public long count() {
    return Arrays.stream(counts).sum();
  }

  /**
   * The time within which a part of the calls was done, at most a quarter too long; zero if there
   * were none.
   *
   * @param part 0 to 1, such as 0.99; of 1 the longest time
   */
  public Duration within(double part) {
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("a part of the calls is 0 to 1, not " + part);
    }
    long wanted = Math.max(1, (long) Math.ceil(part * count()));
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Duration.ofNanos(longestOf(i));
      }
    }
    return Duration.ZERO;
  }

  /** What was counted after earlier latencies of the same calls. */
  public Latencies since(Latencies earlier) {
    long[] difference = new long[BUCKETS];
    Arrays.setAll(difference, i -> Math.max(0, counts[i] - earlier.counts[i]));
    return new Latencies(difference);
  }

  /** These and others. */
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
