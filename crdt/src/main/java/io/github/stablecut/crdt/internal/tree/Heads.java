package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.Bytes;

/**
 * Packs seven bytes of a byte string from an offset on, and how many there are, into one number,
 * which searches compare first. The heads of strings with equal bytes before the offset have the
 * strings' order. They often decide whether two strings are equal without reading the strings.
 *
 * <pre>
 * bits 59 to 4   seven bytes, the first in the highest bits; zeros beyond the end
 *       3 to 0   the number of remaining bytes; 8 for more than seven
 * </pre>
 */
final class Heads {
  private static final int BYTES = 7;
  private static final int COUNT_BITS = 4;
  private static final int COUNT = (1 << COUNT_BITS) - 1;
  private static final int UNUSED_BITS = Long.SIZE - BYTES * Byte.SIZE - COUNT_BITS;

  private Heads() {}

  /** The head of a string at an offset, not negative; that of the empty string beyond the end. */
  static long of(Bytes string, int from) {
    int rest = Math.max(0, string.length() - from);
    return ((string.eightBytesAt(from) >>> Byte.SIZE) << COUNT_BITS) | Math.min(rest, BYTES + 1);
  }

  /** Whether a head contains all remaining bytes of its string. */
  static boolean isComplete(long head) {
    return (head & COUNT) <= BYTES;
  }

  /**
   * The length of the common prefix of two heads, where shorter strings count as padded with zeros.
   */
  static int commonLength(long head, long other) {
    int sameBits = Long.numberOfLeadingZeros(head ^ other) - UNUSED_BITS;
    return Math.min(BYTES, sameBits / Byte.SIZE);
  }
}
