package io.github.stablecut.crdt;

import java.lang.ref.Reference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one object's state in one checkpoint. A large state is a tree of pages, which are
 * read on first use. Thread-safe.
 *
 * <p>Pages are numbered from 1; a page that replaces another in a later checkpoint has the same
 * number.
 */
public interface Pages {
  /**
   * Reads and decodes a page, or returns the cached content.
   *
   * @param decoding decodes the whole page; always the same function for a page
   * @throws io.github.stablecut.error.StablecutException if the page can't be read
   */
  <T> Page<T> read(int page, Function<Decoder, T> decoding);

  /**
   * Reports a changed copy of a page's content. The copy keeps the unchanged rest of the content in
   * memory.
   *
   * @param bytes the size of the page
   */
  void copied(int bytes);

  /** A page in memory. */
  interface Page<T> {
    /** The decoded content. */
    T content();

    /** A direct reference to the content while it is in memory; always the same object. */
    Reference<T> reference();

    /** The size of the encoded page in bytes. */
    int bytes();
  }

  /** The content of a page; null if never read or no longer in memory. */
  static <T> @Nullable T contentOf(@Nullable Reference<T> reference) {
    return reference == null ? null : reference.get();
  }
}
