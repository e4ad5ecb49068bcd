package io.github.stablecut.internal.paging;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.index.VersionBytes;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/** A state in pages of the newest checkpoint. Confined to one thread. */
public final class PagedState {
  private final PagedRoot root;
  private final StoredPages pages;
  private final Version version;

  /**
   * @param at the vector of the checkpoint
   */
  PagedState(CrdtType<?, ?, ?, ?> type, PagedRoot root, StoredPages pages, VectorClock at) {
    this.root = root;
    this.pages = pages;
    this.version =
        new Version(
            type,
            at,
            at,
            StateCodec.decode(type, root.state().toArray(), pages),
            new VersionBytes(root.state().length(), Math.max(1, root.bytes()), 0));
  }

  /** The version of the object; its pages are read on demand. */
  public Version version() {
    return version;
  }

  /** The pages of a state that is not in pages yet. */
  public static PageChange first(CrdtType<?, ?, ?, ?> type, Object state, PageSizes sizes) {
    PageCollector out = new PageCollector(sizes, Optional.empty(), 1);
    byte[] encoded = StateCodec.encode(type, state, out);
    return out.change(out.writtenBytes(), encoded, Set.of());
  }

  /**
   * The change if a state derived from this one replaces it.
   *
   * @param nextType its type: effects of other data centres may have added one
   * @param next derived from {@link #version} only: in other states the same pages may have other
   *     content
   */
  public PageChange replacedBy(CrdtType<?, ?, ?, ?> nextType, Object next, PageSizes sizes) {
    PageCollector out = new PageCollector(sizes, Optional.of(pages), root.next());
    byte[] encoded = StateCodec.encode(nextType, next, out);
    ReplacedPages replaced = new ReplacedPages(out::hasKept, out.written().keySet());
    replaced.visit(root);
    long bytes = root.bytes() - replaced.bytes + out.writtenBytes();
    return out.change(bytes, encoded, replaced.obsolete);
  }

  /** The numbers of all pages. */
  public Set<Integer> allPages() {
    ReplacedPages replaced = new ReplacedPages(page -> false, Set.of());
    replaced.visit(root);
    return replaced.obsolete;
  }

  /** Finds the pages of the old state that the new one doesn't keep. */
  private final class ReplacedPages {
    private final IntPredicate isKept;
    private final Set<Integer> written;
    private final Set<Integer> obsolete = new TreeSet<>();
    private long bytes;

    ReplacedPages(IntPredicate isKept, Set<Integer> written) {
      this.isKept = isKept;
      this.written = written;
    }

    void visit(PagedRoot from) {
      from.references().forEach(this::visit);
    }

    private void visit(int page) {
      if (isKept.test(page)) {
        return;
      }
      StoredPages.Header header = pages.header(page);
      bytes += header.bytes();
      if (!written.contains(page)) {
        obsolete.add(page);
      }
      header.references().forEach(this::visit);
    }
  }
}
