package io.github.stablecut.crdt;

/** Writes dots as {@link RgaStateCodec} describes. Confined to one thread. */
final class DotsWriter {
  private final Encoder out;
  private final int unit;

  /**
   * @param unit times are multiples of 2^unit from each other
   */
  DotsWriter(Encoder out, int unit) {
    this.out = out;
    this.unit = unit;
  }

  /** The greatest unit for differences of which these are all bits that are set in any of them. */
  static int unitOf(long bits) {
    return bits == 0 ? 0 : Long.numberOfTrailingZeros(bits);
  }

  /** All bits that are set in a difference between times, the first one's to a base included. */
  static long bitsOf(Dots dots, long base) {
    long[] bits = {dots.first().time() - base};
    dots.forEachStep((timeStep, indexStep, repeats) -> bits[0] |= timeStep);
    return bits[0];
  }

  /**
   * Writes the ids of elements.
   *
   * @param mark 0 or 1
   */
  void writeIds(Dots ids, int mark, long base) {
    int index = ids.first().index();
    int steps = countSteps(ids);
    out.writeUnsigned(
        (ids.dataCentre() + 1L) << 4 | Math.min(steps, 3) << 2 | (index > 0 ? 2 : 0) | mark);
    if (steps >= 3) {
      out.writeUnsigned(steps - 3);
    }
    writeTime(ids.first().time(), base);
    if (index > 0) {
      out.writeUnsigned(index);
    }
    writeSteps(ids, true);
  }

  /** Writes transactions, as dots with index 0. */
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

  /** How many different steps follow each other. */
  static int countSteps(Dots dots) {
    int[] count = {0};
    dots.forEachStep((timeStep, indexStep, repeats) -> count[0]++);
    return count[0];
  }

  /**
   * Writes the steps of dots.
   *
   * @param isIds whether they are those of elements and have indexes
   */
  void writeSteps(Dots dots, boolean isIds) {
    dots.forEachStep(
        (timeStep, indexStep, repeats) -> {
          long units = timeStep >> unit;
          boolean unusual = indexStep != usualIndexStep(timeStep, isIds);
          long zigzag = units << 1 ^ units >> 63;
          out.writeUnsigned(zigzag << 2 | (unusual ? 2 : 0) | (repeats > 1 ? 1 : 0));
          if (repeats > 1) {
            out.writeUnsigned(repeats - 2);
          }
          if (unusual) {
            out.writeSigned(indexStep);
          }
        });
  }

  /** The index step that is not written. */
  static int usualIndexStep(long timeStep, boolean isIds) {
    return isIds && timeStep == 0 ? 1 : 0;
  }
}
