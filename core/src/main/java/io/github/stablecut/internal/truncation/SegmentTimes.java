package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.journal.Position;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest commit of each journal segment, of which the outcome or the prepared record lies
 * there: a segment may go once a checkpoint has that. Thread-safe.
 */
public final class SegmentTimes {
  private final ConcurrentSkipListMap<Integer, VectorClock> newest = new ConcurrentSkipListMap<>();

  /** The segment of the last record of which everything is known that has to be. */
  private volatile int lastKnown;

  /** All records up to one in this segment have been taken note of. */
  public void known(int segment) {
    lastKnown = segment;
  }

  /** What lies in it or later may not be known yet. */
  public int lastKnown() {
    return lastKnown;
  }

  /** Takes note of a committed transaction, of which a record lies at a position. */
  public void add(long position, VectorClock commit) {
    var unused = newest.merge(Position.segment(position), commit, VectorClock::join);
  }

  /**
   * The first segment with a record of a transaction that is not at or before a vector.
   *
   * @param otherwise the answer if there is none
   */
  public int firstAfter(VectorClock vector, int otherwise) {
    for (var segment : newest.entrySet()) {
      if (!segment.getValue().isAtOrBefore(vector)) {
        return segment.getKey();
      }
    }
    return otherwise;
  }

  /** Forgets segments that are gone. */
  void dropBefore(int segment) {
    newest.headMap(segment).clear();
  }
}
