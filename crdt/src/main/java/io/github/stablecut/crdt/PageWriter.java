package io.github.stablecut.crdt;

import java.util.function.Consumer;

/** Stores the changed pages of a large state. Confined to one thread. */
public interface PageWriter {
  /** The minimum number of entries of a map with pages for its nodes, at least 1. */
  int minEntries();

  /**
   * The maximum size of an inline part in bytes; larger parts get a page of their own where
   * possible.
   */
  int maxInlineBytes();

  /** Whether pages belong to the state that is being replaced, so that they can be kept. */
  boolean isFrom(Pages pages);

  /** Keeps a page of the state that is being replaced, with all pages that it refers to. */
  void keep(int page);

  /**
   * Writes a page. {@code content} must first write or keep all pages that it refers to.
   *
   * @param page the number of the page to replace; 0 for none
   * @param content writes the page
   * @return the number of the page
   */
  int write(int page, Consumer<Encoder> content);

  /**
   * Encodes a part of the page that is being written; moves it to a page of its own if it takes
   * more than {@link #maxInlineBytes}. {@code content} must first write or keep all pages that the
   * part refers to. They count as references of the page that the part ends up in.
   *
   * @param content writes the part
   */
  Placement writeIfLarge(Consumer<Encoder> content);

  /**
   * The location of an encoded part of a page: in a page of its own, or inline.
   *
   * @param page the number of the part's own page; 0 if it is inline
   * @param bytes the inline bytes; empty if the part has a page of its own
   */
  record Placement(int page, Bytes bytes) {
    /** The placement in a page of its own. */
    public static Placement inPage(int page) {
      return new Placement(page, Bytes.EMPTY);
    }

    /** The placement inline. */
    public static Placement inline(byte[] bytes) {
      return new Placement(0, Bytes.wrap(bytes));
    }
  }
}
