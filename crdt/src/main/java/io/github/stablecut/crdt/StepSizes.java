package io.github.stablecut.crdt;

/**
 * How many bits the steps between dots have, as {@link RgaStateCodec} counts them: half of them
 * tell how all are best written. Confined to one thread.
 */
final class StepSizes {
  private final long[] counts = new long[Long.SIZE + 1];
  private long total;

  /** Counts a step that is written once. */
  void add(long number) {
    counts[Long.SIZE - Long.numberOfLeadingZeros(number)]++;
    total++;
  }

  /** One less than the number of bits that at least half of the steps do with, at least 0. */
  int lowBits() {
    int bits = 0;
    long fit = counts[0];
    while (2 * fit < total) {
      fit += counts[++bits];
    }
    return Math.max(0, bits - 1);
  }
}
