package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the objects that were changed last, so that somebody who has looked at all objects
 * need only look at these later: at most {@value #MOST} of them, and fewer if they are long.
 * Changed under the commit lock; any thread may call {@link #count} and {@link #remembersSince}.
 */
final class RecentChanges {
  /** A power of two. */
  static final int MOST = 1 << 13;

  /** So many bytes the ids have together, as there is one of these for each partition. */
  static final long MOST_BYTES = HeapShare.of(1 << 20);

  private final @Nullable Bytes[] ids = new Bytes[MOST];
  private long bytes;

  /** The oldest change that is known; equal to the count if none is. */
  private volatile long first;

  /** Written after what it counts is in the index. */
  private volatile long count;

  void add(Bytes id) {
    long number = count;
    if (number - first == MOST) {
      forgetOldest();
    }
    ids[slot(number)] = id;
    bytes += id.length();
    count = number + 1;
    while (bytes > MOST_BYTES) {
      forgetOldest();
    }
  }

  private void forgetOldest() {
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

  /** How many bytes the ids have that it holds. */
  long bytes() {
    return bytes;
  }

  /** Whether the changes after a number of them are known, and as many again could follow. */
  boolean remembersSince(long from) {
    long since = count - from;
    long oldest = first;
    return from - oldest >= since || (oldest == 0 && since <= MOST / 2);
  }

  /** Visits the changes after a number of them; false, and visits none, if not all are known. */
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
