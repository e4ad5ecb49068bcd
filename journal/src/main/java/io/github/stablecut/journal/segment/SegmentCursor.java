package io.github.stablecut.journal.segment;

/**
 * Iterates over the valid frames of one segment in order of sequence, and skips what lies between
 * them. Confined to one thread.
 */
public final class SegmentCursor {
  private static final int NONE = -1;

  private final int segment;
  private final SegmentBytes bytes;
  private final int limit;
  private long expected;
  private int at = NONE;
  private int end;

  /** A cursor before the frame with the expected sequence, which is at or after an offset. */
  public SegmentCursor(int segment, SegmentBytes bytes, int from, long expected) {
    this(segment, bytes, from, bytes.length(), expected);
  }

  /** A cursor that ignores frames starting at the limit or after it. */
  public SegmentCursor(int segment, SegmentBytes bytes, int from, int limit, long expected) {
    this.segment = segment;
    this.bytes = bytes;
    this.limit = limit;
    this.end = from;
    this.expected = expected;
  }

  /**
   * Moves to the frame with the expected sequence; returns false, without moving, if it is missing.
   */
  public boolean advance() {
    int next = find();
    if (next == NONE || RecordFormat.sequence(bytes, next) != expected) {
      return false;
    }
    moveTo(next);
    return true;
  }

  /**
   * Moves to the next valid frame with at least the expected sequence; returns false if there is
   * none.
   */
  public boolean skip() {
    int next = find();
    if (next == NONE) {
      return false;
    }
    moveTo(next);
    return true;
  }

  private void moveTo(int next) {
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
    return Math.min(limit - 1, bytes.length() - RecordFormat.BODY_AT);
  }

  public int segment() {
    return segment;
  }

  public SegmentBytes bytes() {
    return bytes;
  }

  /** The offset of the current frame. */
  public int at() {
    return at;
  }

  /** The offset after the current frame. */
  public int end() {
    return end;
  }

  /** The sequence of the next frame. */
  public long expected() {
    return expected;
  }

  /** The offset of a possible next frame with a wrong checksum; {@link #end} if there is none. */
  public int suspect() {
    for (int p = end; p <= lastStart(); p += RecordFormat.ALIGNMENT) {
      if (RecordFormat.isFrameLike(bytes, p) && RecordFormat.sequence(bytes, p) == expected) {
        return p;
      }
    }
    return end;
  }

  /** Describes, for a message, what is at an offset where the next frame should be. */
  public String found(int offset) {
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
