package io.github.stablecut.testing.history;

import java.util.List;
import java.util.Optional;

/**
 * A transaction as its client observed it. Immutable.
 *
 * @param session the client's session, whose transactions are sequential in time and in the history
 * @param id unique in the history
 * @param at where and when
 * @param outcome the outcome that the client learned
 * @param operations in order; an unanswered read is omitted
 */
public record RecordedTransaction(
    String session, String id, Execution at, Outcome outcome, List<RecordedOperation> operations) {
  /** The outcome that the client learned. */
  public enum Outcome {
    /** The commit was acknowledged. */
    OK,
    /** The transaction certainly has no effect. */
    FAIL,
    /** The transaction may have taken effect, or may do so later. */
    UNKNOWN
  }

  /**
   * The node and the time of a transaction.
   *
   * @param node the node that executed it, if there are several
   * @param isFinal whether it read after all others had ended and with all nodes healthy, so that
   *     it must see everything acknowledged
   * @param startNanos just before the first request was sent, in nanoseconds of a clock that all
   *     clients share
   * @param endNanos just after the last answer arrived
   */
  public record Execution(Optional<String> node, boolean isFinal, long startNanos, long endNanos) {
    /** A transaction on a single node, concurrent with others. */
    public static Execution between(long startNanos, long endNanos) {
      return new Execution(Optional.empty(), false, startNanos, endNanos);
    }
  }

  /** Copies the operations. */
  public RecordedTransaction {
    operations = List.copyOf(operations);
  }

  /** The node that executed the transaction, if there are several. */
  public Optional<String> node() {
    return at.node;
  }

  /** Whether it must see everything acknowledged. */
  public boolean isFinal() {
    return at.isFinal;
  }

  /** Just before the first request was sent, in nanoseconds. */
  public long start() {
    return at.startNanos;
  }

  /** Just after the last answer arrived, in nanoseconds. */
  public long end() {
    return at.endNanos;
  }
}
