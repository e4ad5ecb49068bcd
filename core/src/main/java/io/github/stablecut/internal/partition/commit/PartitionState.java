package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of a partition, driven by the records of its journal: its objects in memory,
 * the last requests of sessions, the prepared, decided and finished transactions, and the times in
 * each segment. Records take effect only here, in the journal's order.
 *
 * <p>{@link #apply} applies a record from a journal: at the opening of the partition, or as a
 * leader's records arrive. Records that this process creates take effect in two steps, because
 * nothing may wait for the disk under the commit lock:
 *
 * <ol>
 *   <li>when they are ordered: {@link #commit}, {@link #prepare}, {@link #abort}, {@link #end};
 *   <li>when they are durable and have positions: {@link #durable}, {@link #decisionDurable},
 *       {@link #outcomeDurable}.
 * </ol>
 *
 * <p>Invariant: applying the records of a journal gives the same state as creating them.
 *
 * <p>Used under the commit lock, except {@link #durable} and the parts that are thread-safe: index,
 * prepared transactions and segment times.
 */
public final class PartitionState {
  private final LocalDataCentre local;
  private final ObjectIndex index;
  private final SessionTable sessions;

  /** The vector of the newest checkpoint at the opening. */
  private final VectorClock checkpointed;

  /** An object that lacks a multiple of this many effects is due for folding. */
  private final int foldAfter;

  private final PreparedTransactions prepared = new PreparedTransactions();
  private final CertifiedObjects certified = new CertifiedObjects();
  private final DecidedTransactions decided = new DecidedTransactions();
  private final FinishedTransactions finished = new FinishedTransactions();
  private final SegmentTimes segments = new SegmentTimes();
  private final RecordedTimes times;
  private long bytes;
  private long effects;

  /** The last checkpoint that a leader announced. */
  private volatile Optional<CheckpointRecord> announced = Optional.empty();

  /**
   * @param index which begins after the checkpoint
   * @param checkpointed the vector of the newest checkpoint
   */
  public PartitionState(
      LocalDataCentre local,
      ObjectIndex index,
      SessionTable sessions,
      VectorClock checkpointed,
      int foldAfter) {
    this.local = local;
    this.times = new RecordedTimes(local);
    this.index = index;
    this.sessions = sessions;
    this.checkpointed = checkpointed;
    this.foldAfter = foldAfter;
  }

  /** The data centre that the partition belongs to. */
  public LocalDataCentre local() {
    return local;
  }

  public ObjectIndex index() {
    return index;
  }

  public SessionTable sessions() {
    return sessions;
  }

  /** The prepared transactions whose outcome is not durable. */
  public PreparedTransactions prepared() {
    return prepared;
  }

  /** The objects that prepared transactions have certified. */
  CertifiedObjects certified() {
    return certified;
  }

  /** The distributed transactions that this partition has decided. */
  public DecidedTransactions decided() {
    return decided;
  }

  /** The distributed transactions that other partitions decided and that are committed here. */
  public FinishedTransactions finished() {
    return finished;
  }

  public SegmentTimes segments() {
    return segments;
  }

  /** The greatest times of the applied records. */
  public RecordedTimes times() {
    return times;
  }

  /** The bytes of the applied transactions after the checkpoint. */
  public long bytes() {
    return bytes;
  }

  /**
   * The last checkpoint that a leader of the replicas announced; empty if none did, as without
   * replicas. Thread-safe.
   */
  public Optional<CheckpointRecord> announced() {
    return announced;
  }

  /** Subtracts transactions that a checkpoint now covers. */
  public void covered(long coveredBytes, long coveredEffects) {
    bytes -= coveredBytes;
    effects -= coveredEffects;
  }

  /** The number of applied effects after the checkpoint. */
  public long effects() {
    return effects;
  }

  /**
   * Applies the next record of a journal.
   *
   * @throws FormatException if it is malformed or of an unknown kind
   */
  public void apply(StoredRecord record) {
    switch (record.kind()) {
      case RecordKind.TRANSACTION -> applyTransaction(record);
      case RecordKind.PREPARED -> applyPrepared(record);
      case RecordKind.END -> applyEnd(EndRecord.read(record.body(), record.position()));
      case RecordKind.SESSIONS ->
          SessionsRecord.read(record.body(), record.position())
              .forEach(entry -> sessions.put(entry.request(), entry.time()));
      case RecordKind.CLOCK -> times.clock(record);
      case RecordKind.REACHED ->
          times.reached(ReachedRecord.read(record.body(), record.position()));
      case RecordKind.CHECKPOINT ->
          applyCheckpoint(CheckpointRecord.read(record.body(), record.position()));
      default ->
          throw new FormatException(
              "journal record at %s has the kind %d, which is unknown to this version: a newer version wrote it"
                  .formatted(Position.format(record.position()), record.kind()));
    }
  }

  private void applyTransaction(StoredRecord record) {
    TransactionMetadata facts = TransactionRecord.facts(record.body(), record.position());
    PreparedTransactions.Entry entry = preparedEntry(facts);
    Effects found = new Effects(entry != null);
    Commit commit = TransactionRecord.read(record.body(), record.position(), found);
    if (!commit.isVisibleAt(checkpointed)) {
      bytes += record.body().length;
    }
    times.commit(commit);
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

  /** The effects of an applied record: appended at once, or collected for {@link #decide}. */
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
        effects += Maintenance.weight(id);
      }
      if (commit.isVisibleAt(index.floor())) {
        return;
      }
      IndexedEffect indexed =
          IndexedEffect.inJournal(commit, CrdtCodec.typeOf(effect), ordinal, effect.remaining());
      if (isGathered) {
        byObject.computeIfAbsent(id, key -> new ArrayList<>(1)).add(indexed);
      } else {
        index.append(id, indexed);
      }
    }
  }

  private void applyPrepared(StoredRecord record) {
    CommitRequest part = CommitRequest.decode(record.body(), record.position());
    long time = TransactionRecord.commitTime(record.body());
    // Prepare times are unique: StableTime identifies undecided transactions by them.
    times.prepare(time);
    times.reached(part.snapshot());
    PreparedTransactions.Entry earlier = prepared.get(part.id());
    if (earlier != null) {
      // It was aborted, and the END record was lost in a crash.
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
   * Applies an announced checkpoint. The leader has aborted the transactions that the checkpoint
   * excludes, but their END records may come later in the log.
   */
  private void applyCheckpoint(CheckpointRecord next) {
    dropAborted(next.at(), next.low());
    announced = Optional.of(next);
  }

  /**
   * Drops prepared transactions that must have been aborted, after recovery: checkpoints stay below
   * undecided transactions, and the low watermark at or below their snapshots.
   *
   * @param low the low watermark
   */
  public void dropAborted(VectorClock low) {
    dropAborted(checkpointed, low);
  }

  private void dropAborted(VectorClock checkpoint, VectorClock low) {
    for (PreparedTransactions.Entry entry : List.copyOf(prepared.all())) {
      if (entry.time <= local.timeIn(checkpoint) || !low.isAtOrBefore(entry.part.snapshot())) {
        abort(entry);
      }
    }
  }

  /**
   * Commits a transaction at a time: its effects enter the index, and replace its intents if it was
   * prepared here.
   */
  public void commit(CommitRequest part, long time) {
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

  /** The prepared transaction whose outcome this header records; null if there is none. */
  private PreparedTransactions.@Nullable Entry preparedEntry(TransactionMetadata facts) {
    return facts.id().isEmpty() || facts.isDecision() ? null : prepared.get(facts.id().get());
  }

  private void committed(TransactionMetadata facts, long time) {
    if (facts.request().isPresent()) {
      sessions.put(facts.request().get(), time);
    }
    if (facts.isDecision()) {
      decided.put(facts.id().orElseThrow(), time, facts.participants());
    } else if (facts.id().isPresent()) {
      finished.put(facts.id().get(), time);
    }
  }

  /** Sets the prepare time of a transaction among the {@link #prepared}. */
  public void prepare(PreparedTransactions.Entry entry, long time) {
    entry.time = time;
    CommitRequest part = entry.part;
    for (CommitRequest.ObjectWrite write : part.writes()) {
      index.announce(write.id(), new Intent(part.id(), time, write.type()));
    }
    certified.add(part);
  }

  /** Aborts a prepared transaction. */
  public void abort(PreparedTransactions.Entry entry) {
    decide(entry, Map.of());
    outcomeDurable(entry);
  }

  private void decide(
      PreparedTransactions.Entry entry, Map<Bytes, List<IndexedEffect>> decidedEffects) {
    CommitRequest part = entry.part;
    Map<Bytes, List<IndexedEffect>> left = new HashMap<>(decidedEffects);
    for (CommitRequest.ObjectWrite write : part.writes()) {
      // An object that is written as several types has all effects together.
      List<IndexedEffect> found = left.remove(write.id());
      index.decide(write.id(), part.id(), found == null ? List.of() : found);
    }
    certified.remove(part);
  }

  /** Ends a transaction decided here that every participant has acknowledged. */
  public void end(TransactionId id) {
    decided.end(id);
  }

  /** Registers that the record of a committed transaction is durable, though not visible yet. */
  void durable(CommitRequest part) {
    addPosition(part.position(), part.preparedAt(), part.commit().vector());
  }

  /**
   * @param preparedAt the position of the prepared record; 0 if there is none
   */
  private void addPosition(long position, long preparedAt, VectorClock commit) {
    segments.add(position, commit);
    if (preparedAt != 0) {
      segments.add(preparedAt, commit);
    }
  }

  /** Registers that the record of a decision is durable, so that participants may learn of it. */
  public void decisionDurable(TransactionId id, long position) {
    DecidedTransactions.Decision decision = decided.get(id);
    if (decision != null) {
      decision.position = position;
    }
  }

  /**
   * Registers that the outcome of a prepared transaction is durable and visible, or that it is
   * aborted.
   */
  public void outcomeDurable(PreparedTransactions.Entry entry) {
    prepared.remove(entry.part.id());
  }
}
