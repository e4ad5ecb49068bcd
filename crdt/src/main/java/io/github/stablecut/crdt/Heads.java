package io.github.stablecut.crdt;

/**
 * What a search among strings of bytes looks at first: seven bytes of each from the same place on,
 * and how many there are, in one number. Heads of strings that are the same before that place are
 * in the order of the strings, and often tell whether two strings are the same, without a look at
 * them.
 *
 * <pre>
 * bits 59 to 4   seven bytes, the first in the highest bits, zeros where there are none
 *       3 to 0   how many bytes there are; 8 for more than seven
 * </pre>
 */
final class Heads {
  private static final int BYTES = 7;
  private static final int COUNT_BITS = 4;
  private static final int COUNT = (1 << COUNT_BITS) - 1;
  private static final int UNUSED_BITS = Long.SIZE - BYTES * Byte.SIZE - COUNT_BITS;

  private Heads() {}

  /** The head of a string from a place on, not below 0; that of nothing if it ends before. */
  static long of(Bytes string, int from) {
    int rest = Math.max(0, string.length() - from);
    return ((string.eightBytesAt(from) >>> Byte.SIZE) << COUNT_BITS) | Math.min(rest, BYTES + 1);
  }

  /** Whether a head shows all bytes that there are. */
  static boolean isWhole(long head) {
    return (head & COUNT) <= BYTES;
  }

  /** How many first bytes two heads have in common, if those that end early went on with zeros. */
  static int commonLength(long head, long other) {
    int sameBits = Long.numberOfLeadingZeros(head ^ other) - UNUSED_BITS;
    return Math.min(BYTES, sameBits / Byte.SIZE);
  }
}
