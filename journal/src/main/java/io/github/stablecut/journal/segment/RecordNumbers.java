package io.github.stablecut.journal.segment;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Positions of some of the log's records by number ({@link RecordFormat}): the first of each
 * segment, every {@link #STEP}th, one per {@link #STEP_BYTES} if records are large, and the last
 * one read. A reader that follows the log continues at the latter. A search for another record
 * reads on from the nearest one. Thread-safe; one thread at a time adds.
 */
public final class RecordNumbers {
  /** The maximum number of records to skip before one is found. */
  static final int STEP = 1_024;

  /** The maximum number of bytes to skip, plus one record. */
  static final int STEP_BYTES = 1 << 20;

  /** The position of some records, by number. */
  private final ConcurrentSkipListMap<Long, Long> positions = new ConcurrentSkipListMap<>();

  /** The position of the last record added to {@link #positions}. */
  private int newestSegment;

  private int newestOffset;

  /** The number of times that the log was cut. */
  private volatile int cuts;

  private volatile Map.@Nullable Entry<Long, Long> lastRead;

  /** Adds the position of a record; numbers must ascend. */
  public void add(long number, long position) {
    int segment = Position.segment(position);
    int offset = Position.offset(position);
    if (segment != newestSegment || number % STEP == 0 || offset - newestOffset >= STEP_BYTES) {
      newestSegment = segment;
      newestOffset = offset;
      positions.put(number, position);
    }
  }

  /**
   * The nearest known record at or before a number, and its position; null if the number is before
   * all retained records.
   */
  public Map.@Nullable Entry<Long, Long> floor(long number) {
    Map.Entry<Long, Long> near = positions.floorEntry(number);
    Map.Entry<Long, Long> read = lastRead;
    boolean isNearer =
        near != null && read != null && read.getKey() <= number && read.getKey() > near.getKey();
    return isNearer ? read : near;
  }

  public int cuts() {
    return cuts;
  }

  /**
   * Notes the last record read, so that a reader continuing there finds it directly.
   *
   * @param cutsBefore {@link #cuts} before it was read: it may have been cut off since
   */
  public synchronized void noteRead(long number, long position, int cutsBefore) {
    if (cuts == cutsBefore) {
      lastRead = Map.entry(number, position);
    }
  }

  /** The number of the oldest retained record. */
  public long oldest(long ifNone) {
    Map.Entry<Long, Long> first = positions.firstEntry();
    return first == null ? ifNone : first.getKey();
  }

  /** Removes a record and all later ones. */
  public synchronized void cut(long number) {
    cuts++;
    lastRead = null;
    positions.tailMap(number).clear();
    newestSegment = 0;
  }

  /** Removes the records of the oldest segment. */
  public void drop(int segment) {
    for (Map.Entry<Long, Long> first = positions.firstEntry();
        first != null && Position.segment(first.getValue()) <= segment;
        first = positions.firstEntry()) {
      positions.remove(first.getKey());
    }
  }
}
