package io.github.stablecut.journal;

import java.util.List;

/**
 * What {@link Recovery} found. Immutable.
 *
 * @param segments the segments of the log, ascending
 * @param newestNumber the greatest segment number that was ever used, as far as is known; 0 for
 *     none
 * @param epoch of the newest segment; 0 for none
 * @param configurationEpoch of the newest segment's header; 0 for none
 * @param nextSequence the sequence that the log continues with
 * @param nextRecord the number that the next record gets
 */
record RecoveredLog(
    List<SegmentInfo> segments,
    int newestNumber,
    long epoch,
    long configurationEpoch,
    long nextSequence,
    long nextRecord) {
  RecoveredLog {
    segments = List.copyOf(segments);
  }
}
