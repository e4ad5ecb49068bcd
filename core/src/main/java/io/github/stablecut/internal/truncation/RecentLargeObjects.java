package io.github.stablecut.internal.truncation;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The objects that were large when last written in one piece: the next checkpoint that writes one
 * stores it in pages. Keeps only the most recent ones; an evicted object is written in one piece
 * once more. Confined to one thread at a time.
 */
final class RecentLargeObjects {
  static final int MAX_OBJECTS = 10_000;

  /** The maximum total length of the ids. */
  static final long MAX_BYTES = HeapShare.of(1 << 20);

  private final Set<Bytes> ids = new LinkedHashSet<>();
  private long bytes;

  /** Adds an object that is large and in one piece. */
  void add(Bytes id) {
    remove(id);
    ids.add(id);
    bytes += id.length();
    while (ids.size() > MAX_OBJECTS || bytes > MAX_BYTES) {
      remove(ids.iterator().next());
    }
  }

  /** Removes an object that is in pages, small, or deleted. */
  void remove(Bytes id) {
    if (ids.remove(id)) {
      bytes -= id.length();
    }
  }

  boolean contains(Bytes id) {
    return ids.contains(id);
  }

  int size() {
    return ids.size();
  }

  /** The total length of the ids. */
  long bytes() {
    return bytes;
  }
}
