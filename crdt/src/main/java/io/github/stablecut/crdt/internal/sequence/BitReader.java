package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;

/** Reads bits that a {@link BitWriter} wrote; rejects any other input. Confined to one thread. */
final class BitReader {
  private final Decoder in;

  /** The byte being read. */
  private int current;

  /** The number of low bits of {@link #current} not yet read. */
  private int left;

  BitReader(Decoder in) {
    this.in = in;
  }

  /**
   * Reads a number.
   *
   * @param count its number of bits, 0 to 63
   */
  long read(int count) {
    long value = 0;
    for (int rest = count; rest > 0; ) {
      if (left == 0) {
        current = in.readByte();
        left = Byte.SIZE;
      }
      int taken = Math.min(rest, left);
      left -= taken;
      value = value << taken | (current >>> left & ((1 << taken) - 1));
      rest -= taken;
    }
    return value;
  }

  /**
   * Reads ones up to and including a zero, or up to the maximum number of ones, which no zero
   * follows.
   */
  int readUnary(int maxOnes) {
    int ones = 0;
    while (ones < maxOnes && read(1) == 1) {
      ones++;
    }
    return ones;
  }

  /** Reads a number from 1 to 2^33 - 1. */
  long readGamma() {
    int low = readUnary(Integer.SIZE + 1);
    if (low > Integer.SIZE) {
      throw new FormatException("a number has more than " + (Integer.SIZE + 1) + " bits");
    }
    return 1L << low | read(low);
  }

  /** Checks that zeros pad the last byte. */
  void finish() {
    if (read(left) != 0) {
      throw new FormatException("the bits after the last number are not 0");
    }
  }
}
