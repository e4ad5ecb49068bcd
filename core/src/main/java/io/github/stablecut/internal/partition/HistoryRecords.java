package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Extracts from a partition's journal the records of a snapshot's history, at which the partition
 * is complete: the commits that the snapshot sees, in the order of their times, and the requests of
 * sessions. It omits which other partitions took part in a commit, as all of them have it. So a
 * store that opens the history has nothing to decide. Confined to one thread at a time.
 *
 * <p>The outcome of a transaction that another partition decided is in the journal after later
 * commits, but never before its prepared record. So at a prepared record this reads ahead to the
 * outcome, and emits it in the order of its time; no record is read ahead twice. For example,
 * prepared at 8 and committed at 10:
 *
 * <pre>
 * journal   commit 5   prepared 8   commit 9   commit 20   outcome 10   commit 21
 * history   commit 5                commit 9   commit 10   commit 20    commit 21
 * </pre>
 *
 * <p>A session's request may be recorded only after the snapshot, and an earlier one is then
 * unknown. That is harmless, as a session repeats only its last request.
 *
 * <p>Clock ceilings and announced checkpoints are omitted: a store that opens the history has its
 * own ceiling and makes its own checkpoints.
 */
final class HistoryRecords {
  private final LocalDataCentre local;
  private final Journal journal;
  private final VectorClock at;

  /** Reads the records below this number. */
  private final long end;

  /** Records below this number were read ahead. */
  private long readAheadTo;

  /**
   * Outcomes read ahead of their prepared records; empty for transactions that are aborted or that
   * the snapshot does not see.
   */
  private final Map<TransactionId, Optional<Outcome>> outcomes = new HashMap<>();

  /** Outcomes of the prepared records read so far, not yet emitted. */
  private final PriorityQueue<Outcome> waiting =
      new PriorityQueue<>(
          Comparator.comparingLong(Outcome::time).thenComparingLong(Outcome::position));

  /** Positions of those outcomes, whose own records were not reached yet. */
  private final Set<Long> scheduled = new HashSet<>();

  private record Outcome(long time, long position) {}

  /**
   * @param at a snapshot at which the partition is complete
   * @param end above the numbers of all records that the snapshot needs
   */
  HistoryRecords(LocalDataCentre local, Journal journal, VectorClock at, long end) {
    this.local = local;
    this.journal = journal;
    this.at = at;
    this.end = end;
  }

  /**
   * Adds the next record of the journal.
   *
   * @param history receives the records of the history
   * @throws IllegalArgumentException if a segment was dropped meanwhile
   */
  void add(long number, StoredRecord record, PartitionStreams.RecordVisitor history) {
    byte[] body = record.body();
    long position = record.position();
    switch (record.kind()) {
      case RecordKind.TRANSACTION -> addTransaction(record, history);
      case RecordKind.PREPARED -> {
        long prepared = TransactionRecord.commitTime(body);
        // Later records have later times, so only outcomes before this prepare time are due.
        addWaiting(prepared, history);
        if (prepared <= local.timeIn(at)) {
          outcome(TransactionRecord.facts(body, position).id().orElseThrow(), number)
              .ifPresent(this::schedule);
        }
      }
      case RecordKind.SESSIONS -> addSessions(SessionsRecord.read(body, position), history);
      case RecordKind.REACHED ->
          // A store that opens the history is in no group, and has promised nothing.
          history.visit(
              record.kind(),
              new ReachedRecord(
                      ReachedRecord.read(body, position).reached().meet(at), VectorClock.ZERO)
                  .encode());
      case RecordKind.END -> {
        outcomes.remove(EndRecord.read(body, position));
      }
      case RecordKind.CLOCK, RecordKind.CHECKPOINT -> {
        // Omitted, see the class comment.
      }
      default ->
          throw new FormatException(
              "journal record at %s has the kind %d, which is unknown to this version: use a newer version"
                  .formatted(Position.format(position), record.kind()));
    }
  }

  private void schedule(Outcome outcome) {
    waiting.add(outcome);
    scheduled.add(outcome.position);
  }

  /** Ends the history: all records were added. */
  void end(PartitionStreams.RecordVisitor history) {
    addWaiting(Long.MAX_VALUE, history);
  }

  private void addTransaction(StoredRecord record, PartitionStreams.RecordVisitor history) {
    Commit commit = TransactionRecord.commit(record.body(), record.position());
    if (!commit.isVisibleAt(at) || scheduled.remove(record.position())) {
      return;
    }
    if (commit.origin().dataCentre() == local.number()) {
      addWaiting(commit.time(), history);
    }
    history.visit(record.kind(), TransactionRecord.decided(record.body(), record.position()));
  }

  /** Whether the record is the outcome of a transaction that was prepared here. */
  private static boolean isOutcome(StoredRecord record) {
    TransactionMetadata facts = TransactionRecord.facts(record.body(), record.position());
    return facts.id().isPresent() && !facts.isDecision();
  }

  private void addWaiting(long before, PartitionStreams.RecordVisitor history) {
    while (!waiting.isEmpty() && waiting.element().time < before) {
      StoredRecord record = journal.read(waiting.remove().position);
      history.visit(record.kind(), TransactionRecord.decided(record.body(), record.position()));
    }
  }

  /** The outcome of a transaction that was prepared, if it is a commit that the snapshot sees. */
  private Optional<Outcome> outcome(TransactionId id, long number) {
    readAheadTo = Math.max(readAheadTo, number + 1);
    if (!outcomes.containsKey(id) && readAheadTo < end) {
      journal.scanNumbers(
          readAheadTo,
          (next, record) -> {
            if (next >= end) {
              return false;
            }
            readAheadTo = next + 1;
            noteOutcome(record);
            return !outcomes.containsKey(id);
          });
    }
    Optional<Outcome> found = outcomes.getOrDefault(id, Optional.empty());
    outcomes.remove(id);
    return found;
  }

  private void noteOutcome(StoredRecord record) {
    if (record.kind() == RecordKind.TRANSACTION && isOutcome(record)) {
      Commit commit = TransactionRecord.commit(record.body(), record.position());
      outcomes.put(
          TransactionRecord.facts(record.body(), record.position()).id().orElseThrow(),
          commit.isVisibleAt(at)
              ? Optional.of(new Outcome(commit.time(), record.position()))
              : Optional.empty());
    } else if (record.kind() == RecordKind.END) {
      TransactionId id = EndRecord.read(record.body(), record.position());
      outcomes.putIfAbsent(id, Optional.empty());
    }
  }

  private void addSessions(
      List<SessionsRecord.Entry> sessions, PartitionStreams.RecordVisitor history) {
    List<SessionsRecord.Entry> seen =
        sessions.stream().filter(entry -> entry.time() <= local.timeIn(at)).toList();
    if (!seen.isEmpty()) {
      history.visit(RecordKind.SESSIONS, SessionsRecord.encode(seen));
    }
  }
}
