package io.github.stablecut.journal;

import io.github.stablecut.journal.RecordFormat.SegmentHeader;

/**
 * A segment that is part of the log. Immutable.
 *
 * @param header the contents of its first frame
 * @param start the offset of that frame
 * @param firstSequence the sequence of that frame
 */
record SegmentInfo(SegmentHeader header, int start, long firstSequence) {
  int number() {
    return header.segment();
  }
}
