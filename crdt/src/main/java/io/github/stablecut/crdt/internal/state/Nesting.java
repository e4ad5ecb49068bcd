package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.error.LimitExceededException;

/** An operation on an object that may contain another object. */
public interface Nesting {
  /** The nesting depth: 1 more than that of the operation on the inner object. */
  int depth();

  /** The depth of an operation that contains another one. */
  static int around(Object operation) {
    return operation instanceof Nesting nested ? nested.depth() + 1 : 1;
  }

  /**
   * Refuses an operation that would contain another one below {@link Encoder#MAX_DEPTH}.
   *
   * @throws LimitExceededException if it would be too deep
   */
  static void check(Object operation) {
    if (around(operation) > Encoder.MAX_DEPTH) {
      throw new LimitExceededException(Encoder.TOO_DEEP);
    }
  }
}
