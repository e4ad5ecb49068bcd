package io.github.stablecut.crdt.stream;

import io.github.stablecut.crdt.Bytes;
import java.util.Optional;

/**
 * Folds the entries of a stream into a result, such as logged calls into an object's state. It must
 * be a pure function of the entries. Equal folds must have equal results.
 *
 * @param <S> the type of the result; immutable
 */
public interface StreamFold<S> {
  /**
   * The result for the entries before the first one.
   *
   * @param summary the summary that stands for them; empty if there is none
   */
  S begin(Optional<Bytes> summary);

  /** Adds an entry to the result for all previous entries. */
  S next(S previous, Bytes entry);
}
