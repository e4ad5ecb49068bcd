package io.github.stablecut.journal.segment;

import java.util.List;

/**
 * The result of {@code Recovery}. Immutable.
 *
 * @param segments the segments of the log, ascending
 * @param newestNumber the greatest segment number known to have been used; 0 for none
 * @param epoch the epoch of the newest segment; 0 for none
 * @param configurationEpoch the configuration epoch of the newest segment; 0 for none
 * @param nextSequence the sequence that the log continues with
 * @param nextRecord the number of the next record
 */
public record RecoveredLog(
    List<SegmentInfo> segments,
    int newestNumber,
    long epoch,
    long configurationEpoch,
    long nextSequence,
    long nextRecord) {
  public RecoveredLog {
    segments = List.copyOf(segments);
  }
}
