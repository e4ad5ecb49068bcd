package io.github.stablecut.journal;

/**
 * Where a record is: the segment in the high 32 bits, the offset of the record's first frame in the
 * low 32. Kept as a bare {@code long} because there is one per effect in memory. Zero is nowhere.
 */
public final class Position {
  private Position() {}

  /** The position of an offset in a segment. */
  public static long of(int segment, long offset) {
    return (long) segment << 32 | offset;
  }

  /** The segment of a position. */
  public static int segment(long position) {
    return (int) (position >>> 32);
  }

  /** The offset of a position in its segment. */
  public static int offset(long position) {
    return (int) position;
  }

  /** A position for people, as {@code 7:131348}. */
  public static String format(long position) {
    return segment(position) + ":" + Integer.toUnsignedString(offset(position));
  }
}
