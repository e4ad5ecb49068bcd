package io.github.stablecut.testing.history;

import java.util.List;
import java.util.Optional;

/**
 * A transaction as its client knows it. Immutable.
 *
 * @param session the client's line of work: its transactions follow each other in time, and in the
 *     history
 * @param id unique in the history
 * @param at where and when
 * @param outcome what the client was told
 * @param operations in order; a read without an answer is left out
 */
public record RecordedTransaction(
    String session, String id, At at, Outcome outcome, List<RecordedOperation> operations) {
  /** What the client was told. */
  public enum Outcome {
    /** The commit was acknowledged. */
    OK,
    /** It is certain that there is no effect. */
    FAIL,
    /** It may have taken effect, or may do so later. */
    UNKNOWN
  }

  /**
   * Where and when a transaction was made.
   *
   * @param node the node that was asked, if there are several
   * @param isFinal whether it read when all others had ended and all nodes were well, so that it
   *     has to see all that was acknowledged
   * @param start just before the first request left, in nanoseconds of a clock that all clients
   *     share
   * @param end just after the last answer came
   */
  public record At(Optional<String> node, boolean isFinal, long start, long end) {
    /** In a store of one node, while others may write. */
    public static At between(long start, long end) {
      return new At(Optional.empty(), false, start, end);
    }
  }

  /** Copies the operations. */
  public RecordedTransaction {
    operations = List.copyOf(operations);
  }

  /** The node that was asked, if there are several. */
  public Optional<String> node() {
    return at.node;
  }

  /** Whether it has to see all that was acknowledged. */
  public boolean isFinal() {
    return at.isFinal;
  }

  /** Just before the first request left, in nanoseconds. */
  public long start() {
    return at.start;
  }

  /** Just after the last answer came, in nanoseconds. */
  public long end() {
    return at.end;
  }
}
