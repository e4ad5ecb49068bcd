package io.github.stablecut.crdt;

import java.lang.ref.Reference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the state of one object, as one checkpoint has them. A large state is a tree of
 * pages, each of which is read when it is needed for the first time. Thread-safe.
 *
 * <p>Pages are numbered from 1 on; a page that replaces another one in a later checkpoint has the
 * same number.
 */
public interface Pages {
  /**
   * Reads a page, or returns what it was decoded to before.
   *
   * @param decoding always the same for a page; reads all of it
   * @throws io.github.stablecut.error.StablecutException if the page can't be read
   */
  <T> Page<T> read(int page, Function<Decoder, T> decoding);

  /**
   * A changed copy was made of what a page was decoded to. Whoever holds the copy holds the rest of
   * the page's content, too.
   *
   * @param bytes what the page takes
   */
  void copied(int bytes);

  /** A page in memory. */
  interface Page<T> {
    /** What it was decoded to. */
    T content();

    /** Finds the content as long as it is kept in memory, in one step; always the same object. */
    Reference<T> reference();

    /** What the encoded page takes. */
    int bytes();
  }

  /** The content of a page that somebody has read; null if it is gone. */
  static <T> @Nullable T contentOf(@Nullable Reference<T> read) {
    return read == null ? null : read.get();
  }
}
