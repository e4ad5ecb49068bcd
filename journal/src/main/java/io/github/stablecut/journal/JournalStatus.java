package io.github.stablecut.journal;

import java.util.List;
import java.util.Optional;

/**
 * Figures of a {@link Journal} at one point in time. Immutable.
 *
 * @param epoch how many times the journal was opened, including this time
 * @param segments its segments, ascending; the last is being written
 * @param firstRecord the number of the oldest retained record
 * @param nextRecord the number of the next record
 * @param lastSequence the sequence of the last appended frame
 * @param syncedSequence the sequence up to which everything is synced
 * @param records the records appended since open
 * @param bytes the bytes of their bodies
 * @param groups the number of groups they were written in
 * @param largestGroup the most records in one group
 * @param syncs the number of syncs since open
 * @param problem why the journal refuses records now; empty if it accepts them
 */
public record JournalStatus(
    long epoch,
    List<Segment> segments,
    long firstRecord,
    long nextRecord,
    long lastSequence,
    long syncedSequence,
    long records,
    long bytes,
    long groups,
    int largestGroup,
    long syncs,
    Optional<String> problem) {
  /** Copies the list. */
  public JournalStatus {
    segments = List.copyOf(segments);
  }

  /**
   * One segment.
   *
   * @param number its number
   * @param allocatedBytes its size on the disk
   */
  public record Segment(int number, long allocatedBytes) {}
}
