package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Optional;

/**
 * A message of the commit protocol for distributed transactions: two phases with presumed abort,
 * with the coordinator's decision as the commit point. Any message may be lost, delayed or
 * repeated. Immutable.
 *
 * <pre>
 *   driver       coordinator A                participant B
 *     OPEN -------->
 *     <------ OPENED id
 *     KEEP -------->                                    now and then
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
  /** A message to a partition. */
  sealed interface ToPartition extends Message {
    /** Calls the receiver's method for this kind of message. */
    void handTo(Receiver receiver);

    /** The driver that waits for an answer to this; empty if none does. */
    Optional<Driver> asker();

    /** The transaction of the message; empty if the message opens it. */
    Optional<TransactionId> transaction();
  }

  /** Handles each kind of message to a partition. */
  interface Receiver {
    /** A transaction begins. */
    void open(Open message);

    /** A part is to be prepared. */
    void prepare(Prepare message);

    /** A transaction is to be decided. */
    void decide(Decide message);

    /** The driver of a transaction is still working on it. */
    void keepAlive(KeepAlive message);

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

  /** An answer to the driver of a transaction. */
  sealed interface ToDriver extends Message {
    /** Calls the receiver's method for this kind of answer. */
    void handTo(AnswerReceiver receiver);
  }

  /** Handles each kind of answer to a driver. */
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

  /** A reference to a driver, on any node. */
  interface Driver {
    /** A driver that no longer exists. */
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

    /** The driver's number, unique in the store. */
    long number();

    /** Sends an answer, which may be lost. */
    void tell(ToDriver answer);

    /** Whether its node is known to be lost, so that it requests no decision. Never blocks. */
    default boolean isLost() {
      return false;
    }
  }

  /**
   * The driver opens a transaction at its coordinator.
   *
   * @param attempt unique, so that the coordinator recognizes repeated messages
   * @param request the session's request that the transaction executes
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

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.empty();
    }
  }

  /** The coordinator has opened the transaction. */
  record Opened(TransactionId id) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.opened(this);
    }
  }

  /**
   * The session's request was executed before.
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
   * Tells a participant to make its part durable and to await the coordinator's decision.
   *
   * @param part has the transaction's id in its header
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

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(part.id());
    }
  }

  /** A participant has prepared. */
  record Prepared(TransactionId id, int partition, long time) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.prepared(this);
    }
  }

  /**
   * A partition can't take part.
   *
   * @param transaction the transaction of the refused message; empty if that is an {@link Open}
   */
  record Refused(Optional<TransactionId> transaction, int partition, StablecutException reason)
      implements ToDriver {
    /** Refuses a message. */
    public static Refused of(ToPartition message, int partition, StablecutException reason) {
      return new Refused(message.transaction(), partition, reason);
    }

    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.refused(this);
    }
  }

  /**
   * Tells the coordinator to commit, if it still can.
   *
   * @param prepared the greatest prepare time
   * @param part the coordinator's own part, with id and participants in its header
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

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(part.id());
    }
  }

  /** The transaction is durably committed. */
  record Decided(TransactionId id, long time) implements ToDriver {
    @Override
    public void handTo(AnswerReceiver receiver) {
      receiver.decided(this);
    }
  }

  /**
   * The driver is still working on the transaction: the coordinator extends its timeout as if it
   * had just been opened, and answers if it is committed. Opens nothing.
   */
  record KeepAlive(Driver driver, TransactionId id) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.keepAlive(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
    }
  }

  /** The driver abandons the transaction: the coordinator aborts it unless it has decided. */
  record Abandon(TransactionId id) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.abandon(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
    }
  }

  /** Tells a participant that the transaction is committed. */
  record Commit(TransactionId id, long time) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.commit(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
    }
  }

  /** A participant's journal has the commit durably. */
  record Acknowledge(TransactionId id, int partition) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.acknowledge(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
    }
  }

  /** Tells a participant that the transaction is aborted. */
  record Abort(TransactionId id) implements ToPartition {
    @Override
    public void handTo(Receiver receiver) {
      receiver.abort(this);
    }

    @Override
    public Optional<Driver> asker() {
      return Optional.empty();
    }

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
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

    @Override
    public Optional<TransactionId> transaction() {
      return Optional.of(id);
    }
  }

  /** Sends messages to partitions. */
  @FunctionalInterface
  interface Transport {
    /** Sends a message, which may be lost, delayed or repeated. */
    void send(int partition, ToPartition message);
  }
}
