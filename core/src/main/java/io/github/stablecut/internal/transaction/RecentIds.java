package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Maps the most recently added ids of each data centre to numbers: at most {@value #MOST} ids, and
 * fewer if they are long. Thread-safe.
 */
final class RecentIds {
  static final int MOST = 1_024;

  /** The maximum total size of the ids, in bytes. */
  static final long MAX_BYTES = HeapShare.of(1 << 20);

  private record OriginId(int dataCentre, Bytes id) {}

  @GuardedBy("this")
  private final Map<OriginId, Long> numbers = new LinkedHashMap<>();

  @GuardedBy("this")
  private long bytes;

  /** Sets the number of an id. */
  synchronized void put(int dataCentre, Bytes id, long number) {
    if (numbers.put(new OriginId(dataCentre, id), number) == null) {
      bytes += id.length();
    }
    Iterator<OriginId> oldest = numbers.keySet().iterator();
    while (numbers.size() > MOST || bytes > MAX_BYTES) {
      bytes -= oldest.next().id.length();
      oldest.remove();
    }
  }

  /** Returns the number of an id; empty if there is none or it was evicted. */
  synchronized OptionalLong get(int dataCentre, Bytes id) {
    Long number = numbers.get(new OriginId(dataCentre, id));
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  /** The total size of the ids, in bytes. */
  synchronized long bytes() {
    return bytes;
  }
}
