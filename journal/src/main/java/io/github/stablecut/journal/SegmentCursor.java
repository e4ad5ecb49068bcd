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

  SegmentCursor(int segment, ByteBuffer bytes, int from, int limit, long expected) {
    this.segment = segment;
    this.bytes = bytes;
    this.limit = limit;
    this.end = from;
    this.expected = expected;
  }

  /** Goes to the frame with the expected sequence; false, and no move, if it isn't there. */
  boolean advance() {
    int next = find(bytes, end, limit, expected);
    if (next == NONE || RecordFormat.sequence(bytes, next) != expected) {
      return false;
    }
    goTo(next);
    return true;
  }

  /** Goes to the next valid frame with the expected sequence or a greater one. */
  boolean skip() {
    int next = find(bytes, end, limit, expected);
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

  /** The offset of the first valid frame with at least this sequence, or {@link #NONE}. */
  private static int find(ByteBuffer bytes, int from, int limit, long minSequence) {
    int last = Math.min(limit, bytes.capacity()) - RecordFormat.BODY_AT;
    int p = from;
    while (p <= last) {
      if (RecordFormat.isFrameLike(bytes, p)
          && RecordFormat.sequence(bytes, p) >= minSequence
          && RecordFormat.isIntact(bytes, p)) {
        return p;
      }
      p += RecordFormat.ALIGNMENT;
    }
    return NONE;
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

  /** What lies where the next frame should be, for a message. */
  String found() {
    if (end > bytes.capacity() - RecordFormat.BODY_AT) {
      return "the end of the segment";
    }
    if (RecordFormat.isFrameLike(bytes, end)) {
      return "a frame of sequence "
          + RecordFormat.sequence(bytes, end)
          + " with "
          + RecordFormat.length(bytes, end)
          + " bytes and a "
          + (RecordFormat.isIntact(bytes, end) ? "right" : "wrong")
          + " checksum";
    }
    return "no frame";
  }
}
