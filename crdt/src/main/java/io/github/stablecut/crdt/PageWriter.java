package io.github.stablecut.crdt;

import java.util.function.Consumer;

/**
 * Takes the pages of a large state that differ from those of the state it was made from. Confined
 * to one thread.
 */
public interface PageWriter {
  /**
   * The number of entries from which on a map is in pages of its own, at least 1: smaller ones are
   * not worth it.
   */
  int minEntries();

  /** Whether pages are those of the state that is being replaced, so that they can be kept. */
  boolean isFrom(Pages pages);

  /** Keeps a page of the state that is being replaced, and all pages that it refers to. */
  void keep(int page);

  /**
   * Writes a page. Pages that it refers to are written or kept before, by the content.
   *
   * @param page the number of the page that it replaces; 0 for none
   * @param content writes the page
   * @return its number
   */
  int write(int page, Consumer<Encoder> content);
}
