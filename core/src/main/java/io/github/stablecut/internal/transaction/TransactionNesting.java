package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The stack of a transaction's open nested transactions, innermost first. All of them write to one
 * buffer; each has a savepoint in it. Confined to the transaction's thread.
 *
 * <p>Invariant: only the innermost transaction is used, so the operations after its savepoint are
 * its own.
 */
final class TransactionNesting {
  private final WriteBuffer buffer;
  private final int limit;
  private final Deque<NestedTransaction> open = new ArrayDeque<>(0);

  /**
   * @param limit the maximum depth
   */
  TransactionNesting(WriteBuffer buffer, int limit) {
    this.buffer = buffer;
    this.limit = limit;
  }

  /**
   * Begins a transaction nested in the innermost one.
   *
   * @throws LimitExceededException if the nesting would be too deep
   */
  NestedTransaction begin(EmbeddedTransaction outermost) {
    if (open.size() >= limit) {
      throw new LimitExceededException(
          "this transaction has %,d nested transactions, the maximum depth: end some, or raise the limit nestingDepth"
              .formatted(open.size()));
    }
    NestedTransaction nested = new NestedTransaction(outermost, this, buffer.beginSavepoint());
    open.push(nested);
    return nested;
  }

  /**
   * Checks that the outermost transaction may be used.
   *
   * @throws NestedTransactionOpenException if a nested transaction is open
   */
  void checkNone() {
    check(open.size());
  }

  /**
   * Checks that an open nested transaction may be used.
   *
   * @throws NestedTransactionOpenException if another one is nested in it
   */
  void checkInnermost(NestedTransaction used) {
    int inside = 0;
    for (NestedTransaction nested : open) {
      if (nested == used) {
        break;
      }
      inside++;
    }
    check(inside);
  }

  private static void check(int inside) {
    if (inside > 0) {
      throw new NestedTransactionOpenException(
          "the transaction can't be used or ended now, because %,d nested in it %s open: commit or abort the innermost first"
              .formatted(inside, inside == 1 ? "is" : "are"));
    }
  }

  /** Merges the operations of the innermost transaction into the enclosing one. */
  void merge() {
    open.pop();
    buffer.mergeSavepoint();
  }

  /** Ends a nested transaction and those nested in it, and rolls back their operations. */
  void rollBack(NestedTransaction outer) {
    while (true) {
      NestedTransaction ended = open.pop();
      buffer.rollBackTo(ended.savepoint());
      ended.markEnded();
      if (ended == outer) {
        return;
      }
    }
  }

  /** Ends all nested transactions because the outermost transaction has ended. */
  void endAll() {
    open.forEach(NestedTransaction::markEnded);
    open.clear();
  }
}
