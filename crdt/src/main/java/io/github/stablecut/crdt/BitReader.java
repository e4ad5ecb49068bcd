package io.github.stablecut.crdt;

/**
 * Reads what a {@link BitWriter} wrote, from bytes that may be anything. Confined to one thread.
 */
final class BitReader {
  private final Decoder in;

  /** The byte that is being read. */
  private int current;

  /** How many of its low bits are still to be read. */
  private int left;

  BitReader(Decoder in) {
    this.in = in;
  }

  /**
   * Reads a number.
   *
   * @param count of its bits, 0 to 63
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

  /** Reads ones up to a zero, or to the greatest number of ones, after which there is none. */
  int readUnary(int most) {
    int ones = 0;
    while (ones < most && read(1) == 1) {
      ones++;
    }
    return ones;
  }

  /** Reads a number from 1 to 2^33 - 1. */
  long readGamma() {
    int low = readUnary(Integer.SIZE + 1);
    if (low > Integer.SIZE) {
      throw new FormatException("a number of more than " + (Integer.SIZE + 1) + " bits");
    }
    return 1L << low | read(low);
  }

  /** Checks that the last byte is filled with zeros. */
  void finish() {
    if (read(left) != 0) {
      throw new FormatException("the bits behind the last number are not 0");
    }
  }
}
