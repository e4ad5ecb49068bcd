package io.github.stablecut.journal;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** The segments of the open log. Thread-safe. */
final class SegmentInfos {
  private final ConcurrentSkipListMap<Integer, SegmentInfo> byNumber =
      new ConcurrentSkipListMap<>();

  SegmentInfos(Collection<SegmentInfo> segments) {
    segments.forEach(this::add);
  }

  void add(SegmentInfo info) {
    byNumber.put(info.number(), info);
  }

  /** The number of the segment being written; 0 for none. */
  int newestNumber() {
    return byNumber.isEmpty() ? 0 : byNumber.lastKey();
  }

  /** The number of the oldest segment; 0 for none. */
  int oldestNumber() {
    return byNumber.isEmpty() ? 0 : byNumber.firstKey();
  }

  /** All segments, ascending; those added meanwhile may be missing. */
  Collection<SegmentInfo> all() {
    return byNumber.values();
  }

  /** The segments from a number on, ascending. */
  Collection<SegmentInfo> from(int number) {
    return byNumber.tailMap(number).values();
  }

  /** The segments after a number, ascending. */
  Collection<SegmentInfo> after(int number) {
    return List.copyOf(byNumber.tailMap(number, false).values());
  }

  boolean has(int number) {
    return byNumber.containsKey(number);
  }

  void remove(int number) {
    byNumber.remove(number);
  }
}
