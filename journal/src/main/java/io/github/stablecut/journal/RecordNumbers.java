package io.github.stablecut.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Where some of the log's records are, by their numbers ({@link RecordFormat}): the first of each
 * segment, every {@link #STEP}th, one in {@link #STEP_BYTES} if records are large, and the one that
 * was read last: who follows the log goes on there. Whoever looks for another one reads on from
 * there. Thread-safe; one thread at a time adds.
 */
final class RecordNumbers {
  /** So many records at most are read over before one is found. */
  static final int STEP = 1_024;

  /** So many bytes are read over at most, and one record. */
  static final int STEP_BYTES = 1 << 20;

  /** The position of some records, by number. */
  private final ConcurrentSkipListMap<Long, Long> positions = new ConcurrentSkipListMap<>();

  /** Where the record is of which a note was taken last. */
  private int newestSegment;

  private int newestOffset;

  /** How often the log was cut. */
  private volatile int cuts;

  private volatile Map.@Nullable Entry<Long, Long> lastRead;

  /** Takes note of where a record begins; the numbers of records that are added ascend. */
  void add(long number, long position) {
    int segment = Position.segment(position);
    int offset = Position.offset(position);
    if (segment != newestSegment || number % STEP == 0 || offset - newestOffset >= STEP_BYTES) {
      newestSegment = segment;
      newestOffset = offset;
      var unused = positions.put(number, position);
    }
  }

  /**
   * A record at or before one with a number, and its position; null if that one is before all that
   * are there.
   */
  Map.@Nullable Entry<Long, Long> floor(long number) {
    Map.Entry<Long, Long> near = positions.floorEntry(number);
    Map.Entry<Long, Long> read = lastRead;
    boolean isNearer =
        near != null && read != null && read.getKey() <= number && read.getKey() > near.getKey();
    return isNearer ? read : near;
  }

  int cuts() {
    return cuts;
  }

  /**
   * A record was read: whoever reads on finds it at once.
   *
   * @param since {@link #cuts} before it was read: it may be cut off since
   */
  synchronized void read(long number, long position, int since) {
    if (cuts == since) {
      lastRead = Map.entry(number, position);
    }
  }

  /** The number of the oldest record that is there. */
  long oldest(long ifNone) {
    Map.Entry<Long, Long> first = positions.firstEntry();
    return first == null ? ifNone : first.getKey();
  }

  /** Forgets a record and all behind it. */
  synchronized void cut(long number) {
    cuts++;
    lastRead = null;
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
