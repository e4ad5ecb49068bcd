package io.github.stablecut.internal.transaction;

import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The open transactions that are nested in one transaction, the innermost first. All of them write
 * into one buffer; each remembers how full it was when it began. Confined to the transaction's
 * thread.
 *
 * <p>Invariant: only the innermost one is used, so what stands in the buffer behind its savepoint
 * is its own.
 */
final class Nesting {
  private final WriteBuffer buffer;
  private final int limit;
  private final Deque<NestedTransaction> open = new ArrayDeque<>(0);

  /**
   * @param limit how many may be open
   */
  Nesting(WriteBuffer buffer, int limit) {
    this.buffer = buffer;
    this.limit = limit;
  }

  /**
   * Begins one in the innermost.
   *
   * @throws LimitExceededException if it would be nested too deep
   */
  NestedTransaction begin(EmbeddedTransaction outermost) {
    if (open.size() >= limit) {
      throw new LimitExceededException(
          "%,d transactions are open in each other in this one, and no more are allowed: end some, or raise the limit nestingDepth"
              .formatted(open.size()));
    }
    NestedTransaction begun = new NestedTransaction(outermost, this, buffer.beginSavepoint());
    open.push(begun);
    return begun;
  }

  /**
   * Checks that the outermost transaction may be used.
   *
   * @throws NestedTransactionOpenException if one is nested in it
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

  /** Makes the operations of the innermost those of the one around it. */
  void merge() {
    var unused = open.pop();
    buffer.mergeSavepoint();
  }

  /** Ends a nested transaction and all that are nested in it, and takes their operations back. */
  void takeBack(NestedTransaction outer) {
    while (true) {
      NestedTransaction ended = open.pop();
      buffer.takeBackTo(ended.savepoint());
      ended.tellEnded();
      if (ended == outer) {
        return;
      }
    }
  }

  /** Ends all, because the outermost has ended. */
  void endAll() {
    open.forEach(NestedTransaction::tellEnded);
    open.clear();
  }
}
