package io.github.stablecut.journal.segment;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** The segments of the open log. Thread-safe. */
public final class SegmentInfos {
  private final ConcurrentSkipListMap<Integer, SegmentInfo> byNumber =
      new ConcurrentSkipListMap<>();

  public SegmentInfos(Collection<SegmentInfo> segments) {
    segments.forEach(this::add);
  }

  public void add(SegmentInfo info) {
    byNumber.put(info.number(), info);
  }

  /** The number of the segment being written; 0 for none. */
  public int newestNumber() {
    return byNumber.isEmpty() ? 0 : byNumber.lastKey();
  }

  /** The number of the oldest segment; 0 for none. */
  public int oldestNumber() {
    return byNumber.isEmpty() ? 0 : byNumber.firstKey();
  }

  /** All segments, ascending; those added meanwhile may be missing. */
  public Collection<SegmentInfo> all() {
    return byNumber.values();
  }

  /** The segments from a number on, ascending. */
  public Collection<SegmentInfo> from(int number) {
    return byNumber.tailMap(number).values();
  }

  /** The segments after a number, ascending. */
  public Collection<SegmentInfo> after(int number) {
    return List.copyOf(byNumber.tailMap(number, false).values());
  }

  public boolean has(int number) {
    return byNumber.containsKey(number);
  }

  public void remove(int number) {
    byNumber.remove(number);
  }
}
