package io.github.stablecut.journal;

import java.nio.ByteBuffer;

/**
 * Tells two kinds of what lies behind the last valid frame of a log apart: a write that a crash has
 * interrupted, and bytes that may have been a whole frame, which a disk has damaged since.
 *
 * <p>A segment is filled with zeros before it is written to, and disks write whole sectors. So a
 * write that was interrupted leaves less than the head of a frame, or a sector of the frame that is
 * zero still. A process that is killed while it copies the last sector of a frame leaves neither,
 * and is taken for damage; a disk that has turned a sector to zeros, or has damaged a length so
 * that the frame seems to go on behind what was written, is taken for an interrupted write.
 */
final class TornTail {
  /** The least that a disk writes as a whole. */
  private static final int SECTOR_BYTES = 512;

  /** Fewer zeros may be what a frame ends with. */
  private static final int LEAST_ZEROS = 16;

  private TornTail() {}

  /**
   * Whether a crash has interrupted the write of the frame that is missing.
   *
   * @param end a cursor at the last valid frame
   * @param dataEnd the offset behind the last byte that is not zero
   */
  static boolean isInterrupted(SegmentCursor end, int dataEnd) {
    ByteBuffer bytes = end.bytes();
    int from = end.end();
    int suspect = end.suspect();
    boolean isHeadThere =
        suspect < dataEnd
            && suspect + RecordFormat.BODY_AT <= bytes.capacity()
            && RecordFormat.isFrameLike(bytes, suspect);
    int to =
        isHeadThere
            ? suspect + RecordFormat.BODY_AT + RecordFormat.length(bytes, suspect)
            : dataEnd;
    return dataEnd - from < RecordFormat.BODY_AT || lacksSector(bytes, from, to);
  }

  /** Whether one of the sectors that hold some bytes has only zeros behind the first of them. */
  private static boolean lacksSector(ByteBuffer bytes, int from, int to) {
    int sector = from;
    while (sector < to) {
      int next = Math.min((sector / SECTOR_BYTES + 1) * SECTOR_BYTES, bytes.capacity());
      if (Math.min(next, to) - sector >= LEAST_ZEROS && isZero(bytes, sector, next)) {
        return true;
      }
      sector = next;
    }
    return false;
  }

  private static boolean isZero(ByteBuffer bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
