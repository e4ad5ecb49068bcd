package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.journal.JournalClosedException;
import java.util.List;
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

  private final PreparedTransactions undecided;

  /** Those that were committed, while a repeated message may come. Guarded by the commit lock. */
  private FinishedTransactions finished = new FinishedTransactions();

  Participant(int number, Sequencer sequencer, PreparedTransactions undecided, Courier courier) {
    this.undecided = undecided;
    this.number = number;
    this.sequencer = sequencer;
    this.courier = courier;
  }

  /** Takes over what the journal has of earlier openings. Before anything else is called. */
  void recover(Recovered recovered, long now) {
    sequencer.lock().lock();
    try {
      finished = recovered.finished();
      for (Recovered.PreparedPart prepared : recovered.prepared()) {
        CommitRequest part = prepared.part();
        if (!sequencer.horizon().low().isAtOrBefore(part.snapshot())) {
          // The low watermark passes no snapshot of what is undecided: this was aborted.
          continue;
        }
        PreparedTransactions.Entry entry =
            new PreparedTransactions.Entry(part, Message.Driver.GONE, now - ASK_AFTER_NANOS);
        entry.time = prepared.time();
        entry.position = prepared.position();
        sequencer.times().recover(prepared.time());
        announce(part, prepared.time());
        undecided.put(part.id(), entry);
      }
    } finally {
      sequencer.lock().unlock();
    }
  }

  private void announce(CommitRequest part, long time) {
    for (CommitRequest.ObjectWrite write : part.writes()) {
      sequencer.index().announce(write.id(), new Intent(part.id(), time, write.type()));
    }
    sequencer.certifier().mark(part);
  }

  /** Makes a part durable and promises to commit it, or refuses. */
  void prepare(Message.Prepare message, long now) {
    Optional<Message.ToDriver> answer;
    sequencer.lock().lock();
    try {
      answer = prepareLocked(message, now);
    } catch (StablecutException e) {
      answer = Optional.of(new Message.Refused(number, e));
    } finally {
      sequencer.lock().unlock();
    }
    answer.ifPresent(told -> courier.tell(message.driver(), told));
  }

  private Optional<Message.ToDriver> prepareLocked(Message.Prepare message, long now) {
    CommitRequest part = message.part();
    TransactionId id = part.id();
    PreparedTransactions.Entry known = undecided.get(id);
    if (known != null) {
      known.driver = message.driver();
      return known.position == 0
          ? Optional.empty()
          : Optional.of(new Message.Prepared(id, number, known.time));
    }
    if (finished.contains(id)) {
      return Optional.empty();
    }
    // First published, then compared: whoever raises the low watermark sees it, or is seen.
    PreparedTransactions.Entry entry = new PreparedTransactions.Entry(part, message.driver(), now);
    undecided.put(id, entry);
    long time;
    try {
      // What is so old that it may have been decided and forgotten is not prepared again either.
      sequencer.ensureMayCommit(part);
      time = sequencer.times().prepare(part.snapshot().max());
    } catch (Throwable e) {
      undecided.remove(id);
      throw e;
    }
    try {
      entry.time = time;
      announce(part, time);
      sequencer
          .journal()
          .append(
              new ProtocolRecord(
                  RecordKind.PREPARED, part.prepared(time), position -> prepared(entry, position)));
    } catch (Throwable e) {
      sequencer.halfDone(e);
      throw e;
    }
    return Optional.empty();
  }

  private void prepared(PreparedTransactions.Entry entry, long position) {
    entry.position = position;
    courier.tell(entry.driver, new Message.Prepared(entry.part.id(), number, entry.time));
  }

  /** Writes the effects of a committed transaction, and acknowledges once they are durable. */
  void commit(TransactionId id, long time) {
    boolean isKnown;
    sequencer.lock().lock();
    try {
      PreparedTransactions.Entry entry = undecided.get(id);
      isKnown = entry != null;
      if (entry != null && !entry.isCommitted) {
        commitLocked(entry, time);
      }
    } catch (Throwable e) {
      sequencer.halfDone(e);
      throw e;
    } finally {
      sequencer.lock().unlock();
    }
    if (!isKnown) {
      courier.send(id.coordinator(), new Message.Acknowledge(id, number));
    }
  }

  private void commitLocked(PreparedTransactions.Entry entry, long time) {
    entry.isCommitted = true;
    sequencer.times().learn(time);
    CommitRequest part = entry.part;
    part.stampPrepared(time, sequencer.index(), entry.position);
    sequencer.certifier().unmark(part);
    finished.put(part.id(), time);
    part.then(() -> committed(entry));
    sequencer.journal().append(part);
  }

  private void committed(PreparedTransactions.Entry entry) {
    TransactionId id = entry.part.id();
    undecided.remove(id);
    sequencer.times().decided(entry.time);
    courier.send(id.coordinator(), new Message.Acknowledge(id, number));
  }

  /** Forgets an aborted transaction, and has the journal say so. */
  void abort(TransactionId id) {
    sequencer.lock().lock();
    try {
      PreparedTransactions.Entry entry = undecided.get(id);
      if (entry != null && !entry.isCommitted) {
        for (CommitRequest.ObjectWrite write : entry.part.writes()) {
          sequencer.index().decide(write.id(), id, List.of());
        }
        sequencer.certifier().unmark(entry.part);
        undecided.remove(id);
        sequencer.times().decided(entry.time);
        writeEnd(id);
      }
    } catch (Throwable e) {
      sequencer.halfDone(e);
      throw e;
    } finally {
      sequencer.lock().unlock();
    }
    sequencer.progress().changed();
  }

  /** If the record is lost nothing is: after the next opening the outcome is asked for again. */
  private void writeEnd(TransactionId id) {
    try {
      sequencer
          .journal()
          .append(new ProtocolRecord(RecordKind.END, EndRecord.encode(id), position -> {}));
    } catch (JournalClosedException e) {
      // As if it were lost.
    }
  }

  /** Asks for outcomes that are overdue. */
  void tick(long now) {
    for (PreparedTransactions.Entry entry : undecided.all()) {
      if (entry.position != 0 && !entry.isCommitted && now - entry.lastAsked >= ASK_AFTER_NANOS) {
        entry.lastAsked = now;
        TransactionId id = entry.part.id();
        courier.send(id.coordinator(), new Message.Query(id, number));
      }
    }
  }

  /** Forgets outcomes at or below a low watermark: repeated messages of that age are refused. */
  void forgetThrough(VectorClock low) {
    sequencer.lock().lock();
    try {
      finished.forgetThrough(low.max());
    } finally {
      sequencer.lock().unlock();
    }
  }
}
