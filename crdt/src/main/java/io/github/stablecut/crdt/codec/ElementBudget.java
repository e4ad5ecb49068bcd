package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.LimitExceededException;

/**
 * How many elements a message may have: an element of few bytes takes a hundred times as many in
 * memory. Confined to one thread.
 */
final class ElementBudget {
  private final long most;
  private long left;

  ElementBudget(long most) {
    this.most = most;
    this.left = most;
  }

  /**
   * Some more are about to be read.
   *
   * @throws LimitExceededException if there are too many
   */
  void take(long count) {
    left -= count;
    if (left < 0) {
      throw new LimitExceededException(
          "a message has more than %,d parts, as many as the heap of the process that reads it has room for: send several messages, or give it a larger heap (-Xmx)"
              .formatted(most));
    }
  }
}
