package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.journal.segment.Position;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest commit with a record in each journal segment, its outcome or its prepared record: a
 * segment may be dropped once a checkpoint includes that commit. Thread-safe.
 */
public final class SegmentTimes {
  private final ConcurrentSkipListMap<Integer, VectorClock> newest = new ConcurrentSkipListMap<>();

  /** The segment of the last registered record. */
  private volatile int lastKnown;

  /** Notes that all records up to one in this segment are registered. */
  public void known(int segment) {
    lastKnown = segment;
  }

  /** The segment from which on records may not be registered yet. */
  public int lastKnown() {
    return lastKnown;
  }

  /** Registers a record of a committed transaction. */
  public void add(long position, VectorClock commit) {
    newest.merge(Position.segment(position), commit, VectorClock::join);
  }

  /**
   * The first segment with a record of a transaction not at or before a vector.
   *
   * @param otherwise the result if there is none
   */
  public int firstAfter(VectorClock vector, int otherwise) {
    for (var segment : newest.entrySet()) {
      if (!segment.getValue().isAtOrBefore(vector)) {
        return segment.getKey();
      }
    }
    return otherwise;
  }

  /**
   * The first segment that may have a transaction of a data centre after a commit time.
   *
   * @param otherwise the result if there is none
   */
  public int firstAbove(int dataCentre, long time, int otherwise) {
    for (var segment : newest.entrySet()) {
      if (segment.getValue().get(dataCentre) > time) {
        return segment.getKey();
      }
    }
    return otherwise;
  }

  /** Removes dropped segments. */
  void dropBefore(int segment) {
    newest.headMap(segment).clear();
  }
}
