package io.github.stablecut.journal.segment;

/**
 * Distinguishes two kinds of bytes after the last valid frame of a log: a write that a crash
 * interrupted, and a complete frame that the disk has damaged since.
 *
 * <p>A segment is filled with zeros before it is written, and disks write whole sectors. An
 * interrupted write therefore leaves less than the head of a frame, or a sector of the frame that
 * is still zero. Two cases are misjudged. A process killed while it copies the last sector of a
 * frame leaves neither, and counts as damage. A disk that zeroes a sector, or damages a length so
 * that the frame seems to extend past the written bytes, counts as an interrupted write.
 */
public final class TornTail {
  /** The smallest unit that a disk writes atomically. */
  private static final int SECTOR_BYTES = 512;

  /** A frame may end in fewer zeros than this. */
  private static final int LEAST_ZEROS = 16;

  private TornTail() {}

  /**
   * Whether a crash interrupted the write of the missing frame.
   *
   * @param end a cursor at the last valid frame
   * @param dataEnd the offset after the last non-zero byte
   */
  public static boolean isInterrupted(SegmentCursor end, int dataEnd) {
    SegmentBytes bytes = end.bytes();
    int from = end.end();
    int suspect = end.suspect();
    boolean hasHead =
        suspect < dataEnd
            && suspect + RecordFormat.BODY_AT <= bytes.length()
            && RecordFormat.isFrameLike(bytes, suspect);
    int to =
        hasHead ? suspect + RecordFormat.BODY_AT + RecordFormat.length(bytes, suspect) : dataEnd;
    return dataEnd - from < RecordFormat.BODY_AT || lacksSector(bytes, from, to);
  }

  /** Whether one of the sectors that hold the range is zero from the range's first byte in it. */
  private static boolean lacksSector(SegmentBytes bytes, int from, int to) {
    int sector = from;
    while (sector < to) {
      int next = Math.min((sector / SECTOR_BYTES + 1) * SECTOR_BYTES, bytes.length());
      if (Math.min(next, to) - sector >= LEAST_ZEROS && isZero(bytes, sector, next)) {
        return true;
      }
      sector = next;
    }
    return false;
  }

  private static boolean isZero(SegmentBytes bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
