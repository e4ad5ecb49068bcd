package io.github.stablecut.internal.paging;

import java.util.Map;
import java.util.Set;

/** What a checkpoint has to write of a state in pages. Immutable. */
public final class PageChange {
  private final PagedRoot root;
  private final Map<Integer, byte[]> written;
  private final Set<Integer> gone;

  PageChange(PagedRoot root, Map<Integer, byte[]> written, Set<Integer> gone) {
    this.root = root;
    this.written = written;
    this.gone = gone;
  }

  /** What all pages of the new state take. */
  public long bytes() {
    return root.bytes();
  }

  /** The entry of the object. */
  public byte[] root() {
    return root.encode();
  }

  /** The new and changed pages by number. */
  public Map<Integer, byte[]> written() {
    return written;
  }

  /** The numbers of the pages that are no longer needed. */
  public Set<Integer> gone() {
    return gone;
  }
}
