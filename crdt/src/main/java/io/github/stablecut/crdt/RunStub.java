package io.github.stablecut.crdt;

/** A node of a {@link RunTree} whose page is read whenever somebody needs it. Immutable. */
final class RunStub<C> extends RunNode<C> {
  private final RunPages<C> pages;

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
    return pages.node(number, page, sums());
  }

  @Override
  RunPlaces places() {
    return loaded().places();
  }
}
