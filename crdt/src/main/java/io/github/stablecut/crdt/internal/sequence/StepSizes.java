package io.github.stablecut.crdt.internal.sequence;

/**
 * A histogram of the sizes in bits of the steps between dots. The median determines how {@link
 * RunsCodec} encodes them. Confined to one thread.
 */
final class StepSizes {
  private final long[] counts = new long[Long.SIZE + 1];
  private long total;

  /** Counts an encoded step. */
  void add(long number) {
    counts[Long.SIZE - Long.numberOfLeadingZeros(number)]++;
    total++;
  }

  /** One less than the number of bits that suffice for at least half of the steps, at least 0. */
  int lowBits() {
    int bits = 0;
    long fit = counts[0];
    while (2 * fit < total) {
      fit += counts[++bits];
    }
    return Math.max(0, bits - 1);
  }
}
