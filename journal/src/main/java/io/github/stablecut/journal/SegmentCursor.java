package io.github.stablecut.journal;

import java.nio.ByteBuffer;

/**
 * Walks over the valid frames of one segment in order of sequence. What lies between them is
 * skipped. Confined to one thread.
 */
final class SegmentCursor {
  private static final int NONE = -1;

  private final int segment;
  private final ByteBuffer bytes;
  private final int limit;
  private long expected;
  private int at = NONE;
  private int end;

  /** A cursor before the frame with the expected sequence, which lies at or behind an offset. */
  SegmentCursor(int segment, ByteBuffer bytes, int from, long expected) {
    this(segment, bytes, from, bytes.capacity(), expected);
  }

  /** A cursor that finds no frame that starts at the limit or behind it. */
  SegmentCursor(int segment, ByteBuffer bytes, int from, int limit, long expected) {
    this.segment = segment;
    this.bytes = bytes;
    this.limit = limit;
    this.end = from;
    this.expected = expected;
  }

  /** Goes to the frame with the expected sequence; false, and no move, if it isn't there. */
  boolean advance() {
    int next = find();
    if (next == NONE || RecordFormat.sequence(bytes, next) != expected) {
      return false;
    }
    goTo(next);
    return true;
  }

  /** Goes to the next valid frame with the expected sequence or a greater one. */
  boolean skip() {
    int next = find();
    if (next == NONE) {
      return false;
    }
    goTo(next);
    return true;
  }

  private void goTo(int next) {
    at = next;
    end = next + RecordFormat.frameBytes(RecordFormat.length(bytes, next));
    expected = RecordFormat.sequence(bytes, next) + 1;
  }

  /** The offset of the first valid frame with at least the expected sequence, or {@link #NONE}. */
  private int find() {
    for (int p = end; p <= lastStart(); p += RecordFormat.ALIGNMENT) {
      if (RecordFormat.isFrameLike(bytes, p)
          && RecordFormat.sequence(bytes, p) >= expected
          && RecordFormat.isIntact(bytes, p)) {
        return p;
      }
    }
    return NONE;
  }

  private int lastStart() {
    return Math.min(limit - 1, bytes.capacity() - RecordFormat.BODY_AT);
  }

  int segment() {
    return segment;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** The offset of the frame that the cursor is at. */
  int at() {
    return at;
  }

  /** The offset behind the frame that the cursor is at. */
  int end() {
    return end;
  }

  /** The sequence of the next frame. */
  long expected() {
    return expected;
  }

  /**
   * The offset of what looks like the next frame but has a wrong checksum; {@link #end} if there is
   * no such thing.
   */
  int suspect() {
    for (int p = end; p <= lastStart(); p += RecordFormat.ALIGNMENT) {
      if (RecordFormat.isFrameLike(bytes, p) && RecordFormat.sequence(bytes, p) == expected) {
        return p;
      }
    }
    return end;
  }

  /** What is at an offset where the next frame should be, for a message. */
  String found(int offset) {
    if (offset > lastStart() || !RecordFormat.isFrameLike(bytes, offset)) {
      return "no frame";
    }
    return "a frame of sequence "
        + RecordFormat.sequence(bytes, offset)
        + " with "
        + RecordFormat.length(bytes, offset)
        + " bytes and a "
        + (RecordFormat.isIntact(bytes, offset) ? "right" : "wrong")
        + " checksum";
  }
}
