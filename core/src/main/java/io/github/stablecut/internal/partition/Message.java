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
  sealed interface ToPartition extends Message {
    /** Hands this to the receiver's method for its kind. */
    void handTo(Receiver receiver);

    /** The driver that waits for an answer to this; empty if none does. */
    Optional<Driver> asker();
  }

  /** What a partition does with each kind of message. */
  interface Receiver {
    /** A transaction begins. */
    void open(Open message);

    /** A part is to be prepared. */
    void prepare(Prepare message);

    /** A transaction is to be decided. */
    void decide(Decide message);

    /** A transaction was given up. */
    void abandon(Abandon message);

    /** A transaction is committed. */
    void commit(Commit message);

    /** A participant has a commit. */
    void acknowledge(Acknowledge message);

    /** A transaction is aborted. */
    void abort(Abort message);

    /** A participant asks for the outcome. */
    void query(Query message);
  }

  /** What the driver of a transaction is told. */
  sealed interface ToDriver extends Message {
    /** Hands this to the receiver's method for its kind. */
    void handTo(AnswerReceiver receiver);
  }

  /** What a driver does with each kind of answer. */
  interface AnswerReceiver {
    /** The transaction has begun. */
    void opened(Opened answer);

    /** The request was executed before. */
    void repeated(Repeated answer);

    /** A participant has prepared. */
    void prepared(Prepared answer);

    /** A partition can't take part. */
    void refused(Refused answer);

    /** The transaction is committed. */
    void decided(Decided answer);
  }

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
  record Open(Driver driver, long attempt, Optional<RequestId> request) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.open(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.of(driver);
    }
  }

  /** The transaction is known to its coordinator now. */
  record Opened(TransactionId id) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.opened(this);
    }
  }

  /**
   * The session's request was executed already.
   *
   * @param time the commit time
   */
  record Repeated(long time) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.repeated(this);
    }
  }

  /**
   * A participant is to make its part durable, and to promise to commit or abort as it is told.
   *
   * @param part with the transaction's id among its facts
   */
  record Prepare(Driver driver, TransactionPart part) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.prepare(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.of(driver);
    }
  }

  /** A participant has prepared. */
  record Prepared(TransactionId id, int partition, long time) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.prepared(this);
    }
  }

  /** A partition can't take part. */
  record Refused(int partition, StablecutException reason) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.refused(this);
    }
  }

  /**
   * The coordinator is to commit, if it still can.
   *
   * @param prepared the greatest prepare time
   * @param part the coordinator's own, with id and participants among its facts
   */
  record Decide(Driver driver, long prepared, TransactionPart part) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.decide(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.of(driver);
    }
  }

  /** The transaction is committed, durably. */
  record Decided(TransactionId id, long time) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.decided(this);
    }
  }

  /** The driver gives up: the coordinator is to abort, unless it has decided. */
  record Abandon(TransactionId id) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.abandon(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }
  }

  /** The transaction is committed: a participant is to write its effects. */
  record Commit(TransactionId id, long time) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.commit(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }
  }

  /** A participant's journal has the commit. */
  record Acknowledge(TransactionId id, int partition) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.acknowledge(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }
  }

  /** The transaction is aborted. */
  record Abort(TransactionId id) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.abort(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }
  }

  /** A participant asks for the outcome. */
  record Query(TransactionId id, int partition) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.query(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }
  }

  /** Who brings messages to partitions. */
  @FunctionalInterface
  interface Transport {
    /** Sends a message; it may be lost, late or repeated. */
    void send(int partition, ToPartition message);
  }
}
