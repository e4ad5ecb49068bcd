package io.github.stablecut.crdt;

import io.github.stablecut.error.LimitExceededException;

/** An operation on an object that holds another object. */
interface Nesting {
  /** How many objects it goes through: 1 more than the operation on the inner object. */
  int depth();

  /** The depth of an operation around another one. */
  static int around(Object operation) {
    return operation instanceof Nesting nested ? nested.depth() + 1 : 1;
  }

  /**
   * Refuses an operation around another one below {@link Encoder#MAX_DEPTH}.
   *
   * @throws LimitExceededException if it is too deep
   */
  static void check(Object operation) {
    if (around(operation) > Encoder.MAX_DEPTH) {
      throw new LimitExceededException(Encoder.TOO_DEEP);
    }
  }
}
