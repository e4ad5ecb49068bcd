package io.github.stablecut.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Where some of the log's records are, by their numbers ({@link RecordFormat}): the first of each
 * segment, and every {@link #STEP}th. Whoever looks for another one reads on from there.
 * Thread-safe; one thread at a time adds.
 */
final class RecordNumbers {
  /** So many records at most are read over before one is found. */
  static final int STEP = 1_024;

  /** The position of some records, by number. */
  private final ConcurrentSkipListMap<Long, Long> positions = new ConcurrentSkipListMap<>();

  /** The segment of the record that was added last. */
  private int newestSegment;

  /** Takes note of where a record begins; the numbers of records that are added ascend. */
  void add(long number, long position) {
    int segment = Position.segment(position);
    if (segment != newestSegment || number % STEP == 0) {
      newestSegment = segment;
      var unused = positions.put(number, position);
    }
  }

  /**
   * A record at or before one with a number, and its position; null if that one is before all that
   * are there.
   */
  Map.@org.jspecify.annotations.Nullable Entry<Long, Long> floor(long number) {
    return positions.floorEntry(number);
  }

  /** The number of the oldest record that is there. */
  long oldest(long ifNone) {
    Map.Entry<Long, Long> first = positions.firstEntry();
    return first == null ? ifNone : first.getKey();
  }

  /** Forgets a record and all behind it. */
  void cut(long number) {
    positions.tailMap(number).clear();
    newestSegment = 0;
  }

  /** Forgets the records of a segment, the oldest one. */
  void drop(int segment) {
    for (Map.Entry<Long, Long> first = positions.firstEntry();
        first != null && Position.segment(first.getValue()) <= segment;
        first = positions.firstEntry()) {
      var unused = positions.remove(first.getKey());
    }
  }
}
