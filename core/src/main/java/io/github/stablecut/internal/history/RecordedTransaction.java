package io.github.stablecut.internal.history;

import java.util.List;

/**
 * A transaction as its client knows it. Immutable.
 *
 * @param session the client's line of work: its transactions follow each other in time, and in the
 *     history
 * @param id unique in the history
 * @param start just before the first request left, in nanoseconds of a clock that all clients share
 * @param end just after the last answer came
 * @param operations in order; a read without an answer is left out
 */
public record RecordedTransaction(
    String session,
    String id,
    long start,
    long end,
    Outcome outcome,
    List<RecordedOperation> operations) {
  /** What the client was told. */
  public enum Outcome {
    /** The commit was acknowledged. */
    OK,
    /** It is certain that there is no effect. */
    FAIL,
    /** It may have taken effect, or may do so later. */
    UNKNOWN
  }

  /** Copies the operations. */
  public RecordedTransaction {
    operations = List.copyOf(operations);
  }
}
