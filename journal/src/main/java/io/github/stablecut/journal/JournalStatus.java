package io.github.stablecut.journal;

import java.util.List;
import java.util.Optional;

/**
 * Figures of a {@link Journal} at one moment. Immutable.
 *
 * @param epoch how often the journal was opened, this time included
 * @param segments its segments, ascending; the last is being written
 * @param firstRecord the number of the oldest record that was not dropped
 * @param nextRecord the number that the next record gets
 * @param lastSequence the sequence of the last frame that was appended
 * @param syncedSequence the sequence up to which everything is synced
 * @param records the records appended since open
 * @param bytes the bytes of their bodies
 * @param groups the groups that they were written in
 * @param largestGroup the most records in one group
 * @param syncs how often the current segment was forced
 * @param problem why it takes no records now; empty if it does
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
   * @param allocatedBytes what it occupies on the disk
   */
  public record Segment(int number, long allocatedBytes) {}
}
