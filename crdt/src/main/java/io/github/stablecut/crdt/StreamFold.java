package io.github.stablecut.crdt;

import java.util.Optional;

/**
 * How readers make something of a stream, such as the state of an object of its logged calls: entry
 * by entry. It must depend on nothing but the entries, and what it makes must not change. Equal
 * folds make the same.
 *
 * @param <S> what it makes; immutable
 */
public interface StreamFold<S> {
  /**
   * What is made of the entries before the first one.
   *
   * @param summary what the stream says of them; empty if it says nothing
   */
  S begin(Optional<Bytes> summary);

  /** What is made of an entry and all before it. */
  S next(S made, Bytes entry);
}
