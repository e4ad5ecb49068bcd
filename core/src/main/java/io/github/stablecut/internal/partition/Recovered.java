package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.ClockRecord;
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
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What the scan of a journal has found so far: it fills the index with positions and remembers the
 * greatest times and what is undecided. Used once, by the thread that opens the partition.
 */
final class Recovered implements Consumer<StoredRecord>, TransactionRecord.EffectVisitor {
  /** A part that was prepared and whose outcome the journal does not have. */
  record PreparedPart(CommitRequest part, long time, long position) {}

  /** So many ended decisions are kept. */
  private static final int MAX_ENDED = Coordinator.MAX_ENDED;

  /**
   * A transaction that this partition has decided.
   *
   * @param isEnded whether all participants have it
   */
  record Decision(
      TransactionId id, long time, long position, List<Integer> participants, boolean isEnded) {}

  private final ObjectIndex index;
  private final SegmentTimes segments;
  private final VectorClock checkpointed;

  /** Prepared records whose outcome was not found; effects are read once it is not there. */
  private final Map<TransactionId, StoredRecord> prepared = new LinkedHashMap<>();

  private final Map<TransactionId, Decision> decisions = new LinkedHashMap<>();

  /** The decisions that all participants have, oldest first. */
  private final Map<TransactionId, Decision> ended = new LinkedHashMap<>();

  private final FinishedTransactions finished = new FinishedTransactions();
  private final SessionTable sessions;
  private long lastCommit;
  private long lastTime;
  private long ceiling;
  private boolean isCeilingKnown;
  private long bytes;
  private long effects;

  /**
   * @param checkpointed the vector of the newest checkpoint
   * @param sessions is filled
   */
  Recovered(
      ObjectIndex index, SegmentTimes segments, VectorClock checkpointed, SessionTable sessions) {
    this.index = index;
    this.segments = segments;
    this.checkpointed = checkpointed;
    this.sessions = sessions;
  }

  @Override
  public void accept(StoredRecord stored) {
    switch (stored.kind()) {
      case RecordKind.TRANSACTION -> addTransaction(stored);
      case RecordKind.PREPARED -> addPrepared(stored);
      case RecordKind.END -> {
        TransactionId id = EndRecord.read(stored.body(), stored.position());
        Decision decision = decisions.remove(id);
        if (decision != null) {
          end(decision);
        }
        var unused = prepared.remove(id);
      }
      case RecordKind.SESSIONS ->
          SessionsRecord.read(stored.body(), stored.position())
              .forEach(entry -> sessions.put(entry.request(), entry.time()));
      case RecordKind.CLOCK -> {
        long read = ClockRecord.read(stored.body(), stored.position());
        isCeilingKnown |= ClockRecord.isLast(stored.body());
        ceiling = ClockRecord.isLast(stored.body()) ? read : Math.max(ceiling, read);
      }
      default ->
          throw new FormatException(
              "journal record at %s is of kind %d, which this program does not know: it was written by a newer one"
                  .formatted(Position.format(stored.position()), stored.kind()));
    }
  }

  private void end(Decision decision) {
    var unused =
        ended.put(
            decision.id,
            new Decision(decision.id, decision.time, decision.position, List.of(), true));
    if (ended.size() > MAX_ENDED) {
      Iterator<TransactionId> oldest = ended.keySet().iterator();
      var unusedToo = oldest.next();
      oldest.remove();
    }
  }

  private void addTransaction(StoredRecord stored) {
    TransactionFacts[] facts = {TransactionFacts.NONE};
    Commit commit =
        TransactionRecord.read(stored.body(), stored.position(), this, found -> facts[0] = found);
    long time = commit.time();
    lastCommit = Math.max(lastCommit, time);
    segments.add(stored.position(), commit.vector());
    if (!commit.isVisibleAt(checkpointed)) {
      bytes += stored.body().length;
    }
    facts[0].request().ifPresent(request -> sessions.put(request, time));
    if (facts[0].isDecision()) {
      TransactionId id = facts[0].id().orElseThrow();
      var unused =
          decisions.put(
              id, new Decision(id, time, stored.position(), facts[0].participants(), false));
    } else if (facts[0].id().isPresent()) {
      StoredRecord record = prepared.remove(facts[0].id().get());
      if (record != null) {
        segments.add(record.position(), commit.vector());
      }
      finished.put(facts[0].id().get(), time);
    }
  }

  private void addPrepared(StoredRecord stored) {
    TransactionFacts facts = TransactionRecord.facts(stored.body(), stored.position());
    // No prepare time is told twice: the undecided are known by theirs (StableTime).
    lastTime = Math.max(lastTime, TransactionRecord.commitTime(stored.body()));
    var unused = prepared.put(facts.id().orElseThrow(), stored);
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
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    index.append(id, type, new IndexedEffect(commit, ordinal, null));
  }

  /**
   * The parts whose outcome is not known. A checkpoint is made below what is prepared and not
   * decided, so what was prepared at or below the newest and has no outcome is aborted.
   */
  Collection<PreparedPart> prepared() {
    List<PreparedPart> undecided = new ArrayList<>();
    for (StoredRecord record : prepared.values()) {
      long time = TransactionRecord.commitTime(record.body());
      if (time > checkpointed.max()) {
        CommitRequest part = CommitRequest.decode(record.body(), record.position());
        undecided.add(new PreparedPart(part, time, record.position()));
      }
    }
    return undecided;
  }

  /** The transactions that this partition has decided; of those that have ended the newest. */
  Collection<Decision> decisions() {
    List<Decision> all = new ArrayList<>(ended.values());
    all.addAll(decisions.values());
    return all;
  }

  /** The transactions that other partitions have decided and that are committed here. */
  FinishedTransactions finished() {
    return finished;
  }

  /** The bytes of the transactions that no checkpoint has. */
  long bytes() {
    return bytes;
  }

  /** The effects that no checkpoint has. */
  long effects() {
    return effects;
  }

  /** The time of the last commit; 0 if there is none. */
  long lastCommit() {
    return lastCommit;
  }

  /**
   * The greatest time that the clock may have told; 0 if there is none.
   *
   * @param inManifest a ceiling of clock records that were dropped, with all before them
   */
  long lastTime(long inManifest) {
    long times = Math.max(Math.max(lastCommit, lastTime), ceiling);
    return isCeilingKnown ? times : Math.max(times, inManifest);
  }
}
