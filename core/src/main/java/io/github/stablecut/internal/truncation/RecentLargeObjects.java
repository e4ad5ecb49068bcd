package io.github.stablecut.internal.truncation;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The objects that were found to be large when they were last written, in one piece: the next
 * checkpoint that writes one puts it in pages. Of many, those that were written last; one that is
 * forgotten is written in one piece once more. Confined to one thread at a time.
 */
final class RecentLargeObjects {
  static final int MOST = 10_000;

  /** How many bytes the ids have together at most. */
  static final long MOST_BYTES = HeapShare.of(1 << 20);

  private final Set<Bytes> ids = new LinkedHashSet<>();
  private long bytes;

  /** An object is large, in one piece. */
  void add(Bytes id) {
    remove(id);
    boolean unused = ids.add(id);
    bytes += id.length();
    while (ids.size() > MOST || bytes > MOST_BYTES) {
      remove(ids.iterator().next());
    }
  }

  /** An object is in pages, small, or gone. */
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

  /** How many bytes the ids have that it holds. */
  long bytes() {
    return bytes;
  }
}
