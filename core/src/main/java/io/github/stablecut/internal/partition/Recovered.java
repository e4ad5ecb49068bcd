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
import java.util.Collection;
import java.util.HashMap;
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
  private final Map<TransactionId, PreparedPart> prepared = new LinkedHashMap<>();
  private final Map<TransactionId, Decision> decisions = new LinkedHashMap<>();
  private final Map<TransactionId, Long> finished = new HashMap<>();
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
        var unused =
            decisions.computeIfPresent(
                id,
                (key, known) ->
                    new Decision(id, known.time, known.position, known.participants, true));
        var unusedToo = prepared.remove(id);
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
      PreparedPart part = prepared.remove(facts[0].id().get());
      if (part != null) {
        segments.add(part.position(), commit.vector());
      }
      var unused = finished.put(facts[0].id().get(), time);
    }
  }

  private void addPrepared(StoredRecord stored) {
    CommitRequest part = CommitRequest.decode(stored.body(), stored.position());
    long time = TransactionRecord.commitTime(stored.body());
    // No prepare time is told twice: the undecided are known by theirs (StableTime).
    lastTime = Math.max(lastTime, time);
    var unused = prepared.put(part.id(), new PreparedPart(part, time, stored.position()));
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
    return prepared.values().stream().filter(part -> part.time > checkpointed.max()).toList();
  }

  /** The transactions that this partition has decided. */
  Collection<Decision> decisions() {
    return decisions.values();
  }

  /** The commit times of transactions that other partitions have decided. */
  Map<TransactionId, Long> finished() {
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
