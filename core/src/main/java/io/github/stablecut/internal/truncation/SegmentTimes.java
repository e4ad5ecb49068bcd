package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.journal.Position;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest commit of each journal segment: a segment may go once a checkpoint has that.
 * Thread-safe.
 */
public final class SegmentTimes {
  private final ConcurrentSkipListMap<Integer, VectorClock> newest = new ConcurrentSkipListMap<>();

  /** Takes note of a committed transaction. */
  public void add(long position, VectorClock commit) {
    var unused = newest.merge(Position.segment(position), commit, VectorClock::join);
  }

  /**
   * The first segment with a transaction that is not at or before a vector.
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
