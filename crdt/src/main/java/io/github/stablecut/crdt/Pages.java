package io.github.stablecut.crdt;

import java.util.function.Function;

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
  <T> T read(int page, Function<Decoder, T> decoding);
}
