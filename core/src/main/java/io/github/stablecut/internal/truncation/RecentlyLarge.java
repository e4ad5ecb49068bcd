package io.github.stablecut.internal.truncation;

import io.github.stablecut.crdt.Bytes;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The objects that were found to be large when they were last written, in one piece: the next
 * checkpoint that writes one puts it in pages. Of many, those that were written last; one that is
 * forgotten is written in one piece once more. Confined to one thread at a time.
 */
final class RecentlyLarge {
  static final int MOST = 10_000;

  private final Set<Bytes> ids = new LinkedHashSet<>();

  /** An object is large, in one piece. */
  void add(Bytes id) {
    remove(id);
    boolean unused = ids.add(id);
    if (ids.size() > MOST) {
      Iterator<Bytes> oldest = ids.iterator();
      Bytes unusedToo = oldest.next();
      oldest.remove();
    }
  }

  /** An object is in pages, small, or gone. */
  void remove(Bytes id) {
    boolean unused = ids.remove(id);
  }

  boolean contains(Bytes id) {
    return ids.contains(id);
  }

  int size() {
    return ids.size();
  }
}
