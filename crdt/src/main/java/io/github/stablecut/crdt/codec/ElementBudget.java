package io.github.stablecut.crdt.codec;

import io.github.stablecut.error.LimitExceededException;

/**
 * Limits the number of elements of a message: a small element takes a hundred times its bytes in
 * memory. Confined to one thread.
 */
final class ElementBudget {
  private final long maxElements;
  private long remaining;

  ElementBudget(long maxElements) {
    this.maxElements = maxElements;
    this.remaining = maxElements;
  }

  /**
   * Counts elements that are about to be read.
   *
   * @throws LimitExceededException if there are too many
   */
  void take(long count) {
    remaining -= count;
    if (remaining < 0) {
      throw new LimitExceededException(
          "a message has more than %,d parts, the maximum for the heap of the process that reads it: split the message, or increase that heap (-Xmx)"
              .formatted(maxElements));
    }
  }
}
