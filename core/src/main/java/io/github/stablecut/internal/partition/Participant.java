package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.journal.JournalClosedException;
import java.util.Optional;

/**
 * A partition's part in transactions that other partitions decide (protocol 1.9): it makes its part
 * durable, promises to do as it is told, and asks if it is told nothing. Thread-safe.
 *
 * <p>Invariant: what is prepared is in the journal, and stays there, until its outcome is.
 */
final class Participant {
  /** After this time without an answer the coordinator is asked, in nanoseconds. */
  private static final long ASK_AFTER_NANOS = 1_000_000_000;

  private final int number;
  private final Sequencer sequencer;
  private final Courier courier;

  private final PartitionState state;

  Participant(int number, Sequencer sequencer, Courier courier) {
    this.number = number;
    this.sequencer = sequencer;
    this.state = sequencer.state();
    this.courier = courier;
  }

  /**
   * Takes over what earlier openings have prepared. Before anything else is called.
   *
   * @param low the low watermark
   */
  void recover(VectorClock low, long now) {
    sequencer.run(
        () -> {
          state.dropAborted(low);
          for (PreparedTransactions.Entry entry : state.prepared().all()) {
            entry.lastAsked = now - ASK_AFTER_NANOS;
            sequencer.times().recover(entry.time);
          }
        });
  }

  /** Makes a part durable and promises to commit it, or refuses. */
  void prepare(CommitRequest part, Message.Driver driver, long now) {
    Optional<Message.ToDriver> answer = sequencer.call(() -> answer(part, driver, now));
    answer.ifPresent(told -> courier.tell(driver, told));
  }

  /** Under the commit lock. */
  private Optional<Message.ToDriver> answer(CommitRequest part, Message.Driver driver, long now) {
    try {
      return prepareInOrder(part, driver, now);
    } catch (StablecutException e) {
      return Optional.of(new Message.Refused(number, e));
    }
  }

  private Optional<Message.ToDriver> prepareInOrder(
      CommitRequest part, Message.Driver driver, long now) {
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
    // First published, then compared: whoever raises the low watermark sees it, or is seen.
    PreparedTransactions.Entry entry = new PreparedTransactions.Entry(part, driver, now);
    state.prepared().put(id, entry);
    long time;
    try {
      // What is so old that it may have been decided and forgotten is not prepared again either.
      sequencer.ensureMayCommit(part);
      time = sequencer.times().prepare(part.snapshot().max());
    } catch (Throwable e) {
      state.prepared().remove(id);
      throw e;
    }
    sequencer.append(
        new ProtocolRecord(
            RecordKind.PREPARED, part.prepared(time), position -> prepared(entry, position)),
        () -> state.prepare(entry, time));
    return Optional.empty();
  }

  private void prepared(PreparedTransactions.Entry entry, long position) {
    entry.position = position;
    courier.tell(entry.driver, new Message.Prepared(entry.part.id(), number, entry.time));
  }

  /** Writes the effects of a committed transaction, and acknowledges once they are durable. */
  void commit(TransactionId id, long time) {
    boolean isKnown = sequencer.call(() -> commitInOrder(id, time));
    if (!isKnown) {
      courier.send(id.coordinator(), new Message.Acknowledge(id, number));
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

  /** Forgets an aborted transaction, and has the journal say so. */
  void abort(TransactionId id) {
    sequencer.run(() -> abortInOrder(id));
    sequencer.progress().changed();
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
      // As if the record were lost: after the next opening the outcome is asked for again.
    }
  }

  /** Asks for outcomes that are overdue. */
  void tick(long now) {
    for (PreparedTransactions.Entry entry : state.prepared().all()) {
      if (entry.position != 0 && !entry.isCommitted && now - entry.lastAsked >= ASK_AFTER_NANOS) {
        entry.lastAsked = now;
        TransactionId id = entry.part.id();
        courier.send(id.coordinator(), new Message.Query(id, number));
      }
    }
  }

  /** Forgets outcomes at or below a low watermark: repeated messages of that age are refused. */
  void forgetThrough(VectorClock low) {
    sequencer.run(() -> state.finished().forgetThrough(low.max()));
  }
}
