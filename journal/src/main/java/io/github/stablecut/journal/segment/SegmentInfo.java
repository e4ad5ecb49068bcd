package io.github.stablecut.journal.segment;

import io.github.stablecut.journal.segment.RecordFormat.SegmentHeader;

/**
 * A segment that is part of the log. Immutable.
 *
 * @param header the contents of its first frame
 * @param start the offset of that frame
 * @param firstSequence the sequence of that frame
 */
public record SegmentInfo(SegmentHeader header, int start, long firstSequence) {
  public int number() {
    return header.segment();
  }
}
