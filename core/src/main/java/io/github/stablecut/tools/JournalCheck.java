package io.github.stablecut.tools;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.StoredRecord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** Checks the records of a journal, shown to it in order. Confined to one thread. */
final class JournalCheck implements Consumer<StoredRecord> {
  /** What an effect in memory takes beside its bytes, about. */
  private static final int EFFECT_OVERHEAD_BYTES = 150;

  private final ClosedPartition files;
  private final VerificationFindings findings;
  private final boolean decodes;
  private long records;
  private long effects;
  private long effectBytes;

  /** The last commit of each data centre. */
  private VectorClock lastTimes = VectorClock.ZERO;

  /**
   * @param decodes whether effects are decoded
   */
  JournalCheck(ClosedPartition files, VerificationFindings findings, boolean decodes) {
    this.files = files;
    this.findings = findings;
    this.decodes = decodes;
  }

  @Override
  public void accept(StoredRecord stored) {
    records++;
    try {
      check(stored);
    } catch (FormatException e) {
      findings.add(files.nameOf(stored.position()) + ": " + e.getMessage());
    }
  }

  private void check(StoredRecord stored) {
    switch (stored.kind()) {
      case RecordKind.TRANSACTION -> checkTransaction(stored);
      case RecordKind.PREPARED -> {
        Commit unused = TransactionRecord.read(stored.body(), stored.position(), this::check);
      }
      case RecordKind.END -> {
        TransactionId unused = EndRecord.read(stored.body(), stored.position());
      }
      case RecordKind.SESSIONS -> {
        List<SessionsRecord.Entry> unused = SessionsRecord.read(stored.body(), stored.position());
      }
      case RecordKind.CLOCK -> {
        long unused = ClockRecord.read(stored.body(), stored.position());
      }
      case RecordKind.REACHED -> {
        ReachedRecord unused = ReachedRecord.read(stored.body(), stored.position());
      }
      case RecordKind.CHECKPOINT -> {
        CheckpointRecord unused = CheckpointRecord.read(stored.body(), stored.position());
      }
      default ->
          throw new FormatException(
              "a record of kind " + stored.kind() + ", which this program does not know");
    }
  }

  private void checkTransaction(StoredRecord stored) {
    TransactionMetadata[] facts = {TransactionMetadata.NONE};
    Commit commit =
        TransactionRecord.read(
            stored.body(), stored.position(), this::check, found -> facts[0] = found);
    if (facts[0].id().isPresent() && !facts[0].isDecision()) {
      // Decided by another partition: the time may be earlier than what was committed meanwhile.
      return;
    }
    int dataCentre = commit.origin().dataCentre();
    long lastTime = lastTimes.get(dataCentre);
    if (commit.time() <= lastTime) {
      findings.add(
          "%s: the commit of %s comes after that of %s, but is not later"
              .formatted(
                  files.nameOf(stored.position()),
                  Timestamp.format(commit.time()),
                  Timestamp.format(lastTime)));
    }
    lastTimes = lastTimes.with(dataCentre, commit.time());
  }

  private void check(Commit commit, int ordinal, Bytes id, ByteBuffer effect) {
    effects++;
    effectBytes += EFFECT_OVERHEAD_BYTES + id.length() + effect.remaining();
    ObjectName unusedName = ObjectName.of(id);
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    if (decodes) {
      byte[] bytes = new byte[effect.remaining()];
      effect.get(bytes);
      Object unused = CallTypes.decodeEffect(type, bytes);
    }
  }

  long records() {
    return records;
  }

  long effects() {
    return effects;
  }

  /** What all effects would take in memory, about. */
  long effectBytes() {
    return effectBytes;
  }
}
