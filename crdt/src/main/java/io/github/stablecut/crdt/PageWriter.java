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

  /** A part of a state that takes more bytes is in a page of its own, if it can be. */
  int maxInlineBytes();

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

  /**
   * Encodes a part of the page that is being written, and makes a page of its own of it if it takes
   * more than {@link #maxInlineBytes}. Pages that the part refers to are written or kept before, by
   * the content; they are references of whichever page the part gets into.
   *
   * @param content writes the part
   */
  Part writeIfLarge(Consumer<Encoder> content);

  /**
   * An encoded part of a page.
   *
   * @param page the number of its own page; 0 if it has none
   * @param bytes what is to be written in the page around it; none if it has a page of its own
   */
  record Part(int page, Bytes bytes) {
    /** A part in a page of its own. */
    public static Part inPage(int page) {
      return new Part(page, Bytes.EMPTY);
    }

    /** A part of the page around it. */
    public static Part inline(byte[] bytes) {
      return new Part(0, Bytes.wrap(bytes));
    }
  }
}
