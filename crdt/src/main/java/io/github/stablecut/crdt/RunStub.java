package io.github.stablecut.crdt;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** A node of a {@link RunTree} whose page is read whenever somebody needs it. Thread-safe. */
final class RunStub<C> extends RunNode<C> {
  private final RunPages<C> pages;

  /** What the page takes, once it was read. Written before the reference to it. */
  private int pageBytes;

  /** The page, once it was read: quicker to find than in the cache. */
  private volatile @Nullable Reference<RunNode<C>> read;

  RunStub(RunPages<C> pages, Integer number, int page, Sums sums) {
    super(number, page, sums);
    this.pages = pages;
  }

  /** Whether it is a page of the state that is being replaced. */
  boolean isOf(PageWriter out) {
    return pages.areThoseOf(out);
  }

  @Override
  RunNode<C> loaded() {
    RunNode<C> known = Pages.contentOf(read);
    if (known != null) {
      return known;
    }
    Pages.Page<RunNode<C>> found = pages.node(number, page, sums());
    pageBytes = found.bytes();
    read = found.reference();
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
