package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.Bytes;
import java.util.function.Consumer;

/**
 * The ids of the objects that were changed last, so that somebody who has looked at all objects
 * need only look at these later. Changed under the commit lock; {@link #count} can be read by any
 * thread.
 */
final class RecentChanges {
  /** A power of two. */
  private static final int SIZE = 1 << 13;

  private final Bytes[] ids = new Bytes[SIZE];

  /** Written after what it counts is in the index. */
  private volatile long count;

  void add(Bytes id) {
    long known = count;
    ids[(int) (known & (SIZE - 1))] = id;
    count = known + 1;
  }

  long count() {
    return count;
  }

  /** Whether the changes after a number of them are known, and as many again could follow. */
  boolean remembersSince(long from) {
    return count - from <= SIZE / 2;
  }

  /** Visits the changes after a number of them; false, and visits none, if not all are known. */
  boolean forEachSince(long from, Consumer<Bytes> visitor) {
    long until = count;
    if (until - from > SIZE) {
      return false;
    }
    for (long i = from; i < until; i++) {
      visitor.accept(ids[(int) (i & (SIZE - 1))]);
    }
    return true;
  }
}
