package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** A node of a {@link RunTree} whose page is read on demand. Thread-safe. */
final class RunStub<C> extends RunNode<C> {
  private final RunPages<C> pages;

  /** The size of the page in bytes, once read. Written before {@link #content}. */
  private int pageBytes;

  /** The page's content, once read: faster to access than through the cache. */
  private volatile @Nullable Reference<RunNode<C>> content;

  RunStub(RunPages<C> pages, Integer number, int page, Sums sums) {
    super(number, page, sums);
    this.pages = pages;
  }

  /** Whether the page belongs to the state that is being replaced. */
  boolean belongsTo(PageWriter out) {
    return pages.belongTo(out);
  }

  @Override
  RunNode<C> loaded() {
    RunNode<C> cached = Pages.contentOf(content);
    if (cached != null) {
      return cached;
    }
    Pages.Page<RunNode<C>> found = pages.node(number, page, sums());
    pageBytes = found.bytes();
    content = found.reference();
    return found.content();
  }

  @Override
  void copied() {
    pages.pages().copied(pageBytes);
  }

  @Override
  int[] elementEnds() {
    return loaded().elementEnds();
  }

  @Override
  int[] unitEnds() {
    return loaded().unitEnds();
  }
}
