package io.github.stablecut.examples.bench;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random numbers by Zipf's law, with the frequent ones spread over the range: the k-th most
 * frequent number is drawn in proportion to k to the power of minus the skew. Immutable.
 */
public final class Zipf {
  /** A prime, which spreads the frequent numbers over the range. */
  private static final long STEP = 1_000_003;

  private final double[] cumulative;

  public Zipf(int count, double skew) {
    cumulative = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += Math.pow(i + 1.0, -skew);
      cumulative[i] = sum;
    }
  }

  /** Draws a number from 0 to the count, exclusive. */
  public int next(SplittableRandom random) {
    double drawn = random.nextDouble() * cumulative[cumulative.length - 1];
    int found = Arrays.binarySearch(cumulative, drawn);
    int rank = Math.min(found < 0 ? -found - 1 : found, cumulative.length - 1);
    return (int) (rank * STEP % cumulative.length);
  }
}
