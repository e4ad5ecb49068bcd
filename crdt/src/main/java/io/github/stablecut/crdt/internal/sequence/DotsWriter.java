package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Encoder;

/** Writes dots in the format of {@code RgaStateCodec}. Confined to one thread. */
public final class DotsWriter {
  /** This many ones mark a step far above the median. */
  static final int MAX_ONES = 7;

  /** The bits of the length of such a step. */
  static final int LENGTH_BITS = 6;

  private final Encoder out;
  private final int unit;
  private final int lowBits;
  private final boolean hasSides;

  /**
   * @param unit the differences between times are multiples of 2^unit
   * @param lowBits the number of low bits of a step that are written verbatim
   * @param hasSides whether to write which runs are before another element
   */
  DotsWriter(Encoder out, int unit, int lowBits, boolean hasSides) {
    this.hasSides = hasSides;
    this.out = out;
    this.unit = unit;
    this.lowBits = lowBits;
  }

  /**
   * The greatest unit for a set of differences.
   *
   * @param bits the bitwise OR of the differences
   */
  public static int unitOf(long bits) {
    return bits == 0 ? 0 : Long.numberOfTrailingZeros(bits);
  }

  /**
   * The bitwise OR of all differences between neighbouring times, including that of the first to a
   * base.
   */
  public static long bitsOf(Dots dots, long base) {
    long[] bits = {dots.first().time() - base};
    dots.forEachStep((timeStep, indexStep, repeats) -> bits[0] |= timeStep);
    return bits[0];
  }

  /** Adds the steps of dots to a histogram. */
  static void addSizes(Dots dots, boolean isIds, int unit, StepSizes sizes) {
    dots.forEachStep(
        (timeStep, indexStep, repeats) -> sizes.add(numberOf(timeStep >> unit, isIds)));
  }

  /** The number that encodes a step: ids ascend, so their steps need no sign. */
  private static long numberOf(long units, boolean isIds) {
    return isIds ? units : units << 1 ^ units >> 63;
  }

  /**
   * Writes the ids of elements.
   *
   * @param mark 0 or 1
   * @param isBefore whether the first element was inserted before another
   */
  void writeIds(Dots ids, int mark, boolean isBefore, long base) {
    int index = ids.first().index();
    int steps = countSteps(ids);
    long side =
        hasSides ? (ids.dataCentre() + 1L) << 1 | (isBefore ? 1 : 0) : ids.dataCentre() + 1L;
    out.writeUnsigned(side << 4 | Math.min(steps, 3) << 2 | (index > 0 ? 2 : 0) | mark);
    if (steps >= 3) {
      out.writeUnsigned(steps - 3);
    }
    writeTime(ids.first().time(), base);
    if (index > 0) {
      out.writeUnsigned(index);
    }
    writeSteps(ids, true);
  }

  /** Writes the transactions that deleted elements, as dots with index 0. */
  void writeTransactions(Dots transactions, long base) {
    int steps = countSteps(transactions);
    out.writeUnsigned((transactions.dataCentre() + 1L) << 2 | Math.min(steps, 3));
    if (steps >= 3) {
      out.writeUnsigned(steps - 3);
    }
    writeTime(transactions.first().time(), base);
    writeSteps(transactions, false);
  }

  private void writeTime(long time, long base) {
    out.writeSigned((time - base) >> unit);
  }

  /** The number of steps, counting consecutive equal ones once. */
  public static int countSteps(Dots dots) {
    int[] count = {0};
    dots.forEachStep((timeStep, indexStep, repeats) -> count[0]++);
    return count[0];
  }

  private void writeSteps(Dots dots, boolean isIds) {
    BitWriter bits = new BitWriter(out);
    dots.forEachStep(
        (timeStep, indexStep, repeats) -> {
          writeNumber(numberOf(timeStep >> unit, isIds), bits);
          boolean unusual = indexStep != usualIndexStep(timeStep, isIds);
          if (!unusual && repeats == 1) {
            bits.write(0, 1);
            return;
          }
          bits.write(1, 1);
          bits.write(unusual ? 1 : 0, 1);
          bits.writeGamma(repeats);
          if (unusual) {
            bits.writeGamma(1 + ((long) indexStep << 1 ^ (long) indexStep >> 63));
          }
        });
    bits.finish();
  }

  private void writeNumber(long number, BitWriter bits) {
    long high = number >>> lowBits;
    if (high < MAX_ONES) {
      bits.writeUnary((int) high);
      bits.write(number, lowBits);
    } else {
      int length = Long.SIZE - 1 - Long.numberOfLeadingZeros(number);
      bits.write(-1, MAX_ONES);
      bits.write(length, LENGTH_BITS);
      bits.write(number, length);
    }
  }

  /** The index step that is not encoded. */
  public static int usualIndexStep(long timeStep, boolean isIds) {
    return isIds && timeStep == 0 ? 1 : 0;
  }
}
