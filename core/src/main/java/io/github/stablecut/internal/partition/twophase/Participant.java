package io.github.stablecut.internal.partition.twophase;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionState;
import io.github.stablecut.internal.partition.commit.PreparedTransactions;
import io.github.stablecut.internal.partition.commit.ProtocolRecord;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.journal.JournalClosedException;
import java.util.Optional;

/**
 * A participant in distributed transactions that another partition coordinates (protocol 1.9). It
 * makes its part durable, awaits the coordinator's decision, and queries an overdue one.
 * Thread-safe.
 *
 * <p>Invariant: a prepared record stays in the journal until its outcome is in the journal.
 */
final class Participant {
  /** The interval at which this participant queries an overdue outcome, in nanoseconds. */
  private static final long ASK_AFTER_NANOS = 1_000_000_000;

  private final int number;
  private final Sequencer sequencer;
  private final MessageSender courier;

  private final PartitionState state;

  Participant(int number, Sequencer sequencer, MessageSender courier) {
    this.number = number;
    this.sequencer = sequencer;
    this.state = sequencer.state();
    this.courier = courier;
  }

  /**
   * Recovers the prepared transactions of earlier openings. Before any other call.
   *
   * @param low the low watermark
   */
  void recover(VectorClock low, long nowNanos) {
    sequencer.run(
        () -> {
          state.dropAborted(low);
          for (PreparedTransactions.Entry entry : state.prepared().all()) {
            entry.lastAskedNanos = nowNanos - ASK_AFTER_NANOS;
            sequencer.times().recover(entry.time);
          }
        });
  }

  /** Prepares a part: checks it and makes it durable, or refuses it. */
  void prepare(CommitRequest part, Message.Driver driver, long nowNanos) {
    Optional<ConflictException> conflict = sequencer.certifier().conflictInRanges(part);
    Optional<Message.ToDriver> answer =
        sequencer.call(() -> answer(part, conflict, driver, nowNanos));
    answer.ifPresent(reply -> courier.tell(driver, reply));
  }

  /** Under the commit lock. */
  private Optional<Message.ToDriver> answer(
      CommitRequest part,
      Optional<ConflictException> conflict,
      Message.Driver driver,
      long nowNanos) {
    try {
      return prepareInOrder(part, conflict, driver, nowNanos);
    } catch (StablecutException e) {
      return Optional.of(new Message.Refused(Optional.of(part.id()), number, e));
    }
  }

  private Optional<Message.ToDriver> prepareInOrder(
      CommitRequest part,
      Optional<ConflictException> conflict,
      Message.Driver driver,
      long nowNanos) {
    TransactionId id = part.id();
    PreparedTransactions.Entry known = state.prepared().get(id);
    if (known != null) {
      known.driver = driver;
      return known.position == 0
          ? Optional.empty()
          : Optional.of(new Message.Prepared(id, number, known.time));
    }
    if (state.finished().contains(id)) {
      return Optional.empty();
    }
    // Published first, then compared: either truncation sees it, or this sees the new low
    // watermark.
    PreparedTransactions.Entry entry = new PreparedTransactions.Entry(part, driver, nowNanos);
    state.prepared().put(id, entry);
    long time;
    try {
      // A transaction so old that it may have been decided and forgotten is not prepared again
      // either.
      sequencer.ensureMayCommit(part, conflict);
      time = sequencer.times().prepare(part.snapshot());
    } catch (Throwable e) {
      state.prepared().remove(id);
      throw e;
    }
    ProtocolRecord record;
    Runnable effect;
    try {
      record =
          new ProtocolRecord(
              RecordKind.PREPARED, part.prepared(time), position -> prepared(entry, position));
      effect = () -> state.prepare(entry, time);
    } catch (Throwable e) {
      // Otherwise the stable vector would stay below a time that is never decided.
      state.prepared().remove(id);
      sequencer.times().decided(time);
      throw e;
    }
    sequencer.append(record, effect);
    return Optional.empty();
  }

  private void prepared(PreparedTransactions.Entry entry, long position) {
    entry.position = position;
    courier.tell(entry.driver, new Message.Prepared(entry.part.id(), number, entry.time));
  }

  /**
   * Commits a prepared transaction, and acknowledges the commit once it is durable. A transaction
   * that is not prepared here was committed before, unless a later leader has prepared it.
   */
  void commit(TransactionId id, long time) {
    boolean isKnown = sequencer.call(() -> commitInOrder(id, time));
    if (!isKnown) {
      sequencer.ifStillLeading(
          () -> courier.send(id.coordinator(), new Message.Acknowledge(id, number)));
    }
  }

  /** Returns whether the transaction is prepared. */
  private boolean commitInOrder(TransactionId id, long time) {
    PreparedTransactions.Entry entry = state.prepared().get(id);
    if (entry != null && !entry.isCommitted) {
      CommitRequest part = entry.part;
      part.then(() -> committed(entry));
      sequencer.append(
          part,
          () -> {
            sequencer.times().learn(time);
            state.commit(part, time);
          });
    }
    return entry != null;
  }

  private void committed(PreparedTransactions.Entry entry) {
    TransactionId id = entry.part.id();
    state.outcomeDurable(entry);
    sequencer.times().decided(entry.time);
    courier.send(id.coordinator(), new Message.Acknowledge(id, number));
  }

  /**
   * Drops an aborted transaction and records the abort in the journal, if this partition still
   * leads. A later leader may have acknowledged a commit of it; the coordinator may then have
   * forgotten the commit and report an abort.
   */
  void abort(TransactionId id) {
    sequencer.ifStillLeading(
        () -> {
          sequencer.run(() -> abortInOrder(id));
          sequencer.progress().changed();
        });
  }

  private void abortInOrder(TransactionId id) {
    PreparedTransactions.Entry entry = state.prepared().get(id);
    if (entry == null || entry.isCommitted) {
      return;
    }
    try {
      sequencer.append(
          new ProtocolRecord(RecordKind.END, EndRecord.encode(id), position -> {}),
          () -> {
            state.abort(entry);
            sequencer.times().decided(entry.time);
          });
    } catch (JournalClosedException e) {
      // As if the record were lost: the next opening asks for the outcome again.
    }
  }

  /** Asks for outcomes that are overdue. */
  void tick(long nowNanos) {
    for (PreparedTransactions.Entry entry : state.prepared().all()) {
      if (entry.position != 0
          && !entry.isCommitted
          && nowNanos - entry.lastAskedNanos >= ASK_AFTER_NANOS) {
        entry.lastAskedNanos = nowNanos;
        TransactionId id = entry.part.id();
        courier.send(id.coordinator(), new Message.Query(id, number));
      }
    }
  }

  /** Forgets outcomes at or below the low watermark: repeated messages of that age are refused. */
  void forgetThrough(VectorClock low) {
    sequencer.run(() -> state.finished().forgetThrough(state.local().timeIn(low)));
  }
}
