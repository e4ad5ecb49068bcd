package io.github.stablecut.journal.segment;

/**
 * The position of a record: the segment in the high 32 bits, the offset of the record's first frame
 * in the low 32. A plain {@code long}, because memory holds one per effect. Zero is no position.
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

  /** Formats a position for messages, such as {@code 7:131348}. */
  public static String format(long position) {
    return segment(position) + ":" + Integer.toUnsignedString(offset(position));
  }
}
