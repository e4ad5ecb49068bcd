package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Encoder;

/** Writes numbers of any number of bits, high bits first. Confined to one thread. */
final class BitWriter {
  private final Encoder out;

  /** The bits of the incomplete byte, in the low bits. */
  private int pending;

  private int pendingBits;

  BitWriter(Encoder out) {
    this.out = out;
  }

  /**
   * Writes the low bits of a number.
   *
   * @param count the number of bits, 0 to 63
   */
  void write(long value, int count) {
    for (int rest = count; rest > 0; ) {
      int taken = Math.min(rest, Byte.SIZE - pendingBits);
      rest -= taken;
      pending = (pending << taken) | ((int) (value >>> rest) & ((1 << taken) - 1));
      pendingBits += taken;
      if (pendingBits == Byte.SIZE) {
        out.writeByte(pending);
        pending = 0;
        pendingBits = 0;
      }
    }
  }

  /** Writes this many ones, then a zero. */
  void writeUnary(int ones) {
    write((1L << (ones + 1)) - 2, ones + 1);
  }

  /**
   * Writes a positive number as an Elias gamma code (Elias, 1975): 1 bit for 1, two more per
   * doubling.
   */
  void writeGamma(long value) {
    int low = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
    writeUnary(low);
    write(value, low);
  }

  /** Pads the last byte with zeros. */
  void finish() {
    if (pendingBits > 0) {
      write(0, Byte.SIZE - pendingBits);
    }
  }
}
