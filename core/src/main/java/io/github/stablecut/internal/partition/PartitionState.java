package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.StoredRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the records of a partition's journal have made of it: its objects in memory, what sessions
 * did last, which transactions are prepared, decided and finished, and what each segment is needed
 * for. Records take effect here and nowhere else, in the journal's order.
 *
 * <p>{@link #apply} takes a record that is in a journal: at the opening of the partition, or as a
 * leader's records arrive. Records that this process makes take effect in two steps, because nobody
 * may wait for the disk under the commit lock:
 *
 * <ol>
 *   <li>when they get their place in the order: {@link #commit}, {@link #prepare}, {@link #abort},
 *       {@link #end};
 *   <li>when they are durable, and their positions known: {@link #durable}, {@link
 *       #decisionDurable}, {@link #outcomeDurable}.
 * </ol>
 *
 * <p>Invariant: applying the records of a journal gives the state that making them gave.
 *
 * <p>Used under the commit lock, but for {@link #durable}, and for what is thread-safe by itself:
 * index, prepared transactions and segment times.
 */
final class PartitionState {
  private final ObjectIndex index;
  private final SessionTable sessions;

  /** The vector of the newest checkpoint when the partition was opened. */
  private final VectorClock checkpointed;

  /** When an object lacks a multiple of so many effects, it is to be folded. */
  private final int foldAfter;

  private final PreparedTransactions prepared = new PreparedTransactions();
  private final CertifiedObjects certified = new CertifiedObjects();
  private final DecidedTransactions decided = new DecidedTransactions();
  private final FinishedTransactions finished = new FinishedTransactions();
  private final SegmentTimes segments = new SegmentTimes();
  private final RecordedTimes times = new RecordedTimes();
  private long bytes;
  private long effects;

  /**
   * @param index with the vector that it begins after
   * @param checkpointed the vector of the newest checkpoint
   */
  PartitionState(
      ObjectIndex index, SessionTable sessions, VectorClock checkpointed, int foldAfter) {
    this.index = index;
    this.sessions = sessions;
    this.checkpointed = checkpointed;
    this.foldAfter = foldAfter;
  }

  ObjectIndex index() {
    return index;
  }

  SessionTable sessions() {
    return sessions;
  }

  /** The transactions that are prepared and whose outcome is not durable. */
  PreparedTransactions prepared() {
    return prepared;
  }

  /** What prepared transactions have certified. */
  CertifiedObjects certified() {
    return certified;
  }

  /** The transactions of several partitions that this one has decided. */
  DecidedTransactions decided() {
    return decided;
  }

  /** The transactions that other partitions have decided and that are committed here. */
  FinishedTransactions finished() {
    return finished;
  }

  SegmentTimes segments() {
    return segments;
  }

  /** The greatest times of the applied records. */
  RecordedTimes times() {
    return times;
  }

  /** The bytes of the applied transactions that the checkpoint lacks. */
  long bytes() {
    return bytes;
  }

  /** The applied effects that the checkpoint lacks. */
  long effects() {
    return effects;
  }

  /**
   * Applies the next record of a journal.
   *
   * @throws FormatException if it is malformed, or of a kind that this program does not know
   */
  void apply(StoredRecord record) {
    switch (record.kind()) {
      case RecordKind.TRANSACTION -> applyTransaction(record);
      case RecordKind.PREPARED -> applyPrepared(record);
      case RecordKind.END -> applyEnd(EndRecord.read(record.body(), record.position()));
      case RecordKind.SESSIONS ->
          SessionsRecord.read(record.body(), record.position())
              .forEach(entry -> sessions.put(entry.request(), entry.time()));
      case RecordKind.CLOCK -> times.clock(record);
      default ->
          throw new FormatException(
              "journal record at %s is of kind %d, which this program does not know: it was written by a newer one"
                  .formatted(Position.format(record.position()), record.kind()));
    }
  }

  private void applyTransaction(StoredRecord record) {
    TransactionFacts facts = TransactionRecord.facts(record.body(), record.position());
    PreparedTransactions.Entry entry = preparedEntry(facts);
    Effects found = new Effects(entry != null);
    Commit commit = TransactionRecord.read(record.body(), record.position(), found);
    if (!commit.isVisibleAt(checkpointed)) {
      bytes += record.body().length;
    }
    times.commit(commit.time());
    if (entry != null) {
      decide(entry, found.byObject);
    }
    committed(facts, commit.time());
    addPosition(record.position(), entry == null ? 0 : entry.position, commit.vector());
    if (facts.isDecision()) {
      decisionDurable(facts.id().orElseThrow(), record.position());
    }
    if (entry != null) {
      outcomeDurable(entry);
    }
  }

  /** The effects of a record that is applied: appended at once, or gathered for {@link #decide}. */
  private final class Effects implements TransactionRecord.EffectVisitor {
    private final boolean isGathered;
    private final Map<Bytes, List<IndexedEffect>> byObject = new HashMap<>(0);

    Effects(boolean isGathered) {
      this.isGathered = isGathered;
    }

    @Override
    public boolean wants(Commit commit) {
      return !commit.isVisibleAt(checkpointed) || !commit.isVisibleAt(index.floor());
    }

    @Override
    public void visit(Commit commit, int ordinal, Bytes id, ByteBuffer effect) {
      if (!commit.isVisibleAt(checkpointed)) {
        effects++;
      }
      if (commit.isVisibleAt(index.floor())) {
        return;
      }
      IndexedEffect indexed = new IndexedEffect(commit, ordinal, null);
      if (isGathered) {
        boolean unused = byObject.computeIfAbsent(id, key -> new ArrayList<>(1)).add(indexed);
      } else {
        index.append(id, CrdtCodec.typeOf(effect), indexed);
      }
    }
  }

  private void applyPrepared(StoredRecord record) {
    CommitRequest part = CommitRequest.decode(record.body(), record.position());
    long time = TransactionRecord.commitTime(record.body());
    // No prepare time is told twice: the undecided are known by theirs (StableTime).
    times.prepare(time);
    PreparedTransactions.Entry earlier = prepared.get(part.id());
    if (earlier != null) {
      // It was aborted, and a crash took the END record.
      abort(earlier);
    }
    PreparedTransactions.Entry entry = new PreparedTransactions.Entry(part, Message.Driver.GONE, 0);
    prepared.put(part.id(), entry);
    prepare(entry, time);
    entry.position = record.position();
  }

  private void applyEnd(TransactionId id) {
    end(id);
    PreparedTransactions.Entry entry = prepared.get(id);
    if (entry != null) {
      abort(entry);
    }
  }

  /**
   * Forgets what is prepared and known to be aborted, after the records of earlier openings were
   * applied: a checkpoint is made below what is prepared and not decided, and the low watermark
   * passes no snapshot of that.
   *
   * @param low the low watermark
   */
  void dropAborted(VectorClock low) {
    for (PreparedTransactions.Entry entry : List.copyOf(prepared.all())) {
      if (entry.time <= checkpointed.max() || !low.isAtOrBefore(entry.part.snapshot())) {
        abort(entry);
      }
    }
  }

  /**
   * A transaction is committed at a time: its effects enter the index, in place of its intents if
   * it was prepared here.
   */
  void commit(CommitRequest part, long time) {
    PreparedTransactions.Entry entry = preparedEntry(part.facts());
    if (entry == null) {
      part.stamp(time, index, foldAfter);
    } else {
      entry.isCommitted = true;
      part.stampPrepared(time, index, entry.position);
      certified.remove(part);
    }
    committed(part.facts(), time);
  }

  /** What is prepared and has its outcome in these facts; null if nothing is. */
  private PreparedTransactions.@Nullable Entry preparedEntry(TransactionFacts facts) {
    return facts.id().isEmpty() || facts.isDecision() ? null : prepared.get(facts.id().get());
  }

  private void committed(TransactionFacts facts, long time) {
    facts.request().ifPresent(request -> sessions.put(request, time));
    if (facts.isDecision()) {
      decided.put(facts.id().orElseThrow(), time, facts.participants());
    } else if (facts.id().isPresent()) {
      finished.put(facts.id().get(), time);
    }
  }

  /** A transaction that is among the {@link #prepared} gets its prepare time. */
  void prepare(PreparedTransactions.Entry entry, long time) {
    entry.time = time;
    CommitRequest part = entry.part;
    for (CommitRequest.ObjectWrite write : part.writes()) {
      index.announce(write.id(), new Intent(part.id(), time, write.type()));
    }
    certified.add(part);
  }

  /** A prepared transaction is aborted. */
  void abort(PreparedTransactions.Entry entry) {
    decide(entry, Map.of());
    outcomeDurable(entry);
  }

  private void decide(
      PreparedTransactions.Entry entry, Map<Bytes, List<IndexedEffect>> decidedEffects) {
    CommitRequest part = entry.part;
    for (CommitRequest.ObjectWrite write : part.writes()) {
      List<IndexedEffect> found = decidedEffects.getOrDefault(write.id(), List.of());
      index.decide(write.id(), part.id(), found);
    }
    certified.remove(part);
  }

  /** Every participant has a transaction that was decided here. */
  void end(TransactionId id) {
    decided.end(id);
  }

  /** The record of a committed transaction is durable; not yet visible. */
  void durable(CommitRequest part) {
    addPosition(part.position(), part.preparedAt(), part.commit().vector());
  }

  /**
   * @param preparedAt where the prepared record is; 0 if there is none
   */
  private void addPosition(long position, long preparedAt, VectorClock commit) {
    segments.add(position, commit);
    if (preparedAt != 0) {
      segments.add(preparedAt, commit);
    }
  }

  /** The record of a decision is durable: participants may be told. */
  void decisionDurable(TransactionId id, long position) {
    DecidedTransactions.Decision decision = decided.get(id);
    if (decision != null) {
      decision.position = position;
    }
  }

  /** The outcome of a prepared transaction is durable, and visible; or it is aborted. */
  void outcomeDurable(PreparedTransactions.Entry entry) {
    prepared.remove(entry.part.id());
  }
}
