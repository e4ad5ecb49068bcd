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
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.StoredRecord;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What the scan of a journal has found so far: it fills the index with positions and remembers the
 * greatest times. Used once, by the thread that opens the partition.
 */
final class Recovered implements Consumer<StoredRecord> {
  private final ObjectIndex index;
  private final SegmentTimes segments;
  private final VectorClock checkpointed;
  private long lastCommit;
  private long ceiling;
  private long bytes;
  private long effects;

  /**
   * @param checkpointed the vector of the newest checkpoint
   */
  Recovered(ObjectIndex index, SegmentTimes segments, VectorClock checkpointed) {
    this.checkpointed = checkpointed;
    this.index = index;
    this.segments = segments;
  }

  @Override
  public void accept(StoredRecord stored) {
    switch (stored.kind()) {
      case RecordKind.TRANSACTION -> {
        Commit commit = TransactionRecord.read(stored.body(), stored.position(), this::add);
        lastCommit = Math.max(lastCommit, commit.time());
        if (!commit.isVisibleAt(checkpointed)) {
          bytes += stored.body().length;
        }
        segments.add(stored.position(), commit.vector());
      }
      case RecordKind.CLOCK ->
          ceiling = Math.max(ceiling, ClockRecord.read(stored.body(), stored.position()));
      default ->
          throw new FormatException(
              "journal record at %s is of kind %d, which this program does not know: it was written by a newer one"
                  .formatted(Position.format(stored.position()), stored.kind()));
    }
  }

  private void add(Commit commit, int ordinal, Bytes id, ByteBuffer effect) {
    if (!commit.isVisibleAt(checkpointed)) {
      effects++;
    }
    if (commit.isVisibleAt(index.floor())) {
      return;
    }
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    index.append(id, type, new IndexedEffect(commit, ordinal, null));
  }

  /** The time of the last commit; 0 if there is none. */
  long lastCommit() {
    return lastCommit;
  }

  /** The bytes of the transactions that no checkpoint has. */
  long bytes() {
    return bytes;
  }

  /** The effects that no checkpoint has. */
  long effects() {
    return effects;
  }

  /** The greatest ceiling of the clock; 0 if there is none. */
  long ceiling() {
    return ceiling;
  }
}
