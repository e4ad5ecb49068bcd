package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the most recently changed objects, so that a reader of all objects can later examine
 * only these: at most {@value #MOST} ids, and fewer if they are long. Updated under the commit
 * lock; any thread may call {@link #count} and {@link #remembersSince}.
 */
final class RecentChanges {
  /** A power of two. */
  static final int MOST = 1 << 13;

  /** The maximum total size of the ids, in bytes, for each partition. */
  static final long MAX_BYTES = HeapShare.of(1 << 20);

  private final @Nullable Bytes[] ids = new Bytes[MOST];
  private long bytes;

  /** The number of the oldest known change; equal to the count if none is known. */
  private volatile long first;

  /** The number of changes; written after the counted effects are in the index. */
  private volatile long count;

  void add(Bytes id) {
    long number = count;
    if (number - first == MOST) {
      evictOldest();
    }
    ids[slot(number)] = id;
    bytes += id.length();
    count = number + 1;
    while (bytes > MAX_BYTES) {
      evictOldest();
    }
  }

  private void evictOldest() {
    long oldest = first;
    Bytes id = ids[slot(oldest)];
    bytes -= id == null ? 0 : id.length();
    ids[slot(oldest)] = null;
    first = oldest + 1;
  }

  private static int slot(long number) {
    return (int) (number & (MOST - 1));
  }

  long count() {
    return count;
  }

  /** The total size of the ids, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Whether the changes after a number are known, and still would be after as many again. */
  boolean remembersSince(long from) {
    long since = count - from;
    long oldest = first;
    return from - oldest >= since || (oldest == 0 && since <= MOST / 2);
  }

  /** Visits the changes after a number; returns false without visiting any if not all are known. */
  boolean forEachSince(long from, Consumer<Bytes> visitor) {
    if (from < first) {
      return false;
    }
    long until = count;
    for (long number = from; number < until; number++) {
      Bytes id = ids[slot(number)];
      if (id != null) {
        visitor.accept(id);
      }
    }
    return true;
  }
}
