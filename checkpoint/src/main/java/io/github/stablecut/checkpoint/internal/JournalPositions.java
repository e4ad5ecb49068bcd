package io.github.stablecut.checkpoint.internal;

import java.util.Arrays;

/**
 * Encodes a list of journal positions, the state of an entry in a history file.
 *
 * <pre>
 *   for each position   the difference to the previous one (for the first: to -1), minus 1, as a number
 *   number              1 to 9 bytes, 7 bits each, low bits first; the eighth bit is set if more follow
 * </pre>
 */
public final class JournalPositions {
  private static final int BITS = 7;
  private static final int MORE = 1 << BITS;
  private static final int MAX_NUMBER_BYTES = 9;

  private JournalPositions() {}

  /**
   * The bytes of a list.
   *
   * @param positions strictly ascending, none negative
   */
  public static byte[] encode(long[] positions) {
    byte[] encoded = new byte[positions.length * MAX_NUMBER_BYTES];
    int length = 0;
    long before = -1;
    for (long position : positions) {
      if (position <= before) {
        throw new IllegalArgumentException("position " + position + " after " + before);
      }
      long rest = position - before - 1;
      while (rest >= MORE) {
        encoded[length++] = (byte) (rest | MORE);
        rest >>>= BITS;
      }
      encoded[length++] = (byte) rest;
      before = position;
    }
    return Arrays.copyOf(encoded, length);
  }

  /**
   * The list encoded in some bytes.
   *
   * @throws IllegalArgumentException if they are not the encoding of a list
   */
  public static long[] decode(byte[] encoded) {
    long[] positions = new long[encoded.length];
    int count = 0;
    long before = -1;
    int at = 0;
    while (at < encoded.length) {
      long number = 0;
      int shift = 0;
      byte next;
      do {
        if (at == encoded.length || shift == MAX_NUMBER_BYTES * BITS) {
          throw new IllegalArgumentException("a number is not terminated");
        }
        next = encoded[at++];
        number |= (long) (next & MORE - 1) << shift;
        shift += BITS;
      } while (next < 0);
      before += number + 1;
      if (before < 0) {
        throw new IllegalArgumentException("a position above the maximum");
      }
      positions[count++] = before;
    }
    return Arrays.copyOf(positions, count);
  }
}
