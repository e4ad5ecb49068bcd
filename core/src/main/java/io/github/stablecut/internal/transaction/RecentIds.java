package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A number for each of the ids that were put last, per data centre: at most {@value #MOST}, and
 * fewer if the ids are long. Thread-safe.
 */
final class RecentIds {
  static final int MOST = 1_024;

  /** How many bytes the ids have together at most. */
  static final long MOST_BYTES = HeapShare.of(1 << 20);

  private record Of(int dataCentre, Bytes id) {}

  @GuardedBy("this")
  private final Map<Of, Long> numbers = new LinkedHashMap<>();

  @GuardedBy("this")
  private long bytes;

  /** Puts a number in the place of the one before, if there is one. */
  synchronized void put(int dataCentre, Bytes id, long number) {
    if (numbers.put(new Of(dataCentre, id), number) == null) {
      bytes += id.length();
    }
    Iterator<Of> oldest = numbers.keySet().iterator();
    while (numbers.size() > MOST || bytes > MOST_BYTES) {
      bytes -= oldest.next().id.length();
      oldest.remove();
    }
  }

  /** The number of an id; empty if there is none, or it was forgotten. */
  synchronized OptionalLong get(int dataCentre, Bytes id) {
    Long number = numbers.get(new Of(dataCentre, id));
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  /** How many bytes the ids have that it holds. */
  synchronized long bytes() {
    return bytes;
  }
}
