package io.github.stablecut.journal;

import io.github.stablecut.journal.RecordFormat.SegmentHeader;

/**
 * What is known of a segment that is part of the log. Immutable.
 *
 * @param header what its first frame says
 * @param start the offset of that frame
 * @param firstSequence the sequence of that frame
 */
record SegmentInfo(SegmentHeader header, int start, long firstSequence) {
  int number() {
    return header.segment();
  }
}
