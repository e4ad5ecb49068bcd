package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Optional;

/**
 * What is said about transactions of several partitions: presumed abort, with the coordinator's
 * decision as commit point. Any message may be lost, late or repeated. Immutable.
 *
 * <pre>
 *   driver       coordinator A                participant B
 *     OPEN -------->
 *     <------ OPENED id
 *     PREPARE ------------------------------------> durable
 *     <------------------------------------- PREPARED time
 *     DECIDE ------> durable: committed
 *     <------ DECIDED
 *                    COMMIT ----------------------> durable
 *                    <-------------- ACKNOWLEDGE
 *                    end
 * </pre>
 */
public sealed interface Message {
  /** What a partition is told. */
  sealed interface ToPartition extends Message {}

  /** What the driver of a transaction is told. */
  sealed interface ToDriver extends Message {}

  /** Takes what a driver is told, wherever it is. */
  interface Driver {
    /** A driver that is not there any more. */
    Driver GONE =
        new Driver() {
          @Override
          public long number() {
            return 0;
          }

          @Override
          public void tell(ToDriver answer) {
            // Nobody waits for it.
          }
        };

    /** A number that no other driver of the store has. */
    long number();

    /** Hands an answer over; it may be lost. */
    void tell(ToDriver answer);
  }

  /**
   * A driver wants a transaction that a partition will decide.
   *
   * @param attempt a number that no other attempt has, so that a repeated message is known
   * @param request the session's request that it executes
   */
  record Open(Driver driver, long attempt, Optional<RequestId> request) implements ToPartition {}

  /** The transaction is known to its coordinator now. */
  record Opened(TransactionId id) implements ToDriver {}

  /**
   * The session's request was executed already.
   *
   * @param time the commit time
   */
  record Repeated(long time) implements ToDriver {}

  /**
   * A participant is to make its part durable, and to promise to commit or abort as it is told.
   *
   * @param part with the transaction's id among its facts
   */
  record Prepare(Driver driver, CommitRequest part) implements ToPartition {}

  /** A participant has prepared. */
  record Prepared(TransactionId id, int partition, long time) implements ToDriver {}

  /** A partition can't take part. */
  record Refused(int partition, StablecutException reason) implements ToDriver {}

  /**
   * The coordinator is to commit, if it still can.
   *
   * @param prepared the greatest prepare time
   * @param part the coordinator's own, with id and participants among its facts
   */
  record Decide(Driver driver, long prepared, CommitRequest part) implements ToPartition {}

  /** The transaction is committed, durably. */
  record Decided(TransactionId id, long time) implements ToDriver {}

  /** The driver gives up: the coordinator is to abort, unless it has decided. */
  record Abandon(TransactionId id) implements ToPartition {}

  /** The transaction is committed: a participant is to write its effects. */
  record Commit(TransactionId id, long time) implements ToPartition {}

  /** A participant's journal has the commit. */
  record Acknowledge(TransactionId id, int partition) implements ToPartition {}

  /** The transaction is aborted. */
  record Abort(TransactionId id) implements ToPartition {}

  /** A participant asks for the outcome. */
  record Query(TransactionId id, int partition) implements ToPartition {}

  /** Who brings messages to partitions. */
  @FunctionalInterface
  interface Transport {
    /** Sends a message; it may be lost, late or repeated. */
    void send(int partition, ToPartition message);
  }
}
