package io.github.stablecut.internal.paging;

import java.util.Map;
import java.util.Set;

/** The changes of a state in pages that a checkpoint has to write. Immutable. */
public final class PageChange {
  private final PagedRoot root;
  private final Map<Integer, byte[]> written;
  private final Set<Integer> obsolete;

  PageChange(PagedRoot root, Map<Integer, byte[]> written, Set<Integer> obsolete) {
    this.root = root;
    this.written = written;
    this.obsolete = obsolete;
  }

  /** The size of all pages of the new state. */
  public long bytes() {
    return root.bytes();
  }

  /** The encoded root, which is the entry of the object. */
  public byte[] root() {
    return root.encode();
  }

  /** The new and changed pages by number. */
  public Map<Integer, byte[]> written() {
    return written;
  }

  /** The numbers of the pages that are no longer needed. */
  public Set<Integer> gone() {
    return obsolete;
  }
}
