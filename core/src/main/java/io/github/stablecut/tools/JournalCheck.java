package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.segment.StoredRecord;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Checks the records of a journal, which it receives in order. Confined to one thread. */
final class JournalCheck implements Consumer<StoredRecord> {
  /** The approximate memory of an effect in addition to its bytes. */
  private static final int EFFECT_OVERHEAD_BYTES = 150;

  private final ClosedPartition files;
  private final VerificationFindings findings;
  private final boolean decodes;
  private long records;
  private long effects;
  private long effectBytes;

  /** The last commit time of each data centre. */
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
    if (stored.kind() == RecordKind.TRANSACTION) {
      checkTransaction(stored);
    } else {
      decode(stored);
    }
  }

  /** Decodes a record other than a transaction; throws if it is malformed. */
  @CanIgnoreReturnValue
  private Object decode(StoredRecord stored) {
    byte[] body = stored.body();
    long position = stored.position();
    return switch (stored.kind()) {
      case RecordKind.PREPARED -> TransactionRecord.read(body, position, this::check);
      case RecordKind.END -> EndRecord.read(body, position);
      case RecordKind.SESSIONS -> SessionsRecord.read(body, position);
      case RecordKind.CLOCK -> ClockRecord.read(body, position);
      case RecordKind.REACHED -> ReachedRecord.read(body, position);
      case RecordKind.CHECKPOINT -> CheckpointRecord.read(body, position);
      default ->
          throw new FormatException(
              "record of kind " + stored.kind() + ", which this version does not know");
    };
  }

  private void checkTransaction(StoredRecord stored) {
    TransactionMetadata[] facts = {TransactionMetadata.none()};
    Commit commit =
        TransactionRecord.read(
            stored.body(), stored.position(), this::check, found -> facts[0] = found);
    if (facts[0].id().isPresent() && !facts[0].isDecision()) {
      // Decided by another partition: later commits here may have preceded it in the journal.
      return;
    }
    int dataCentre = commit.origin().dataCentre();
    long lastTime = lastTimes.get(dataCentre);
    if (commit.time() <= lastTime) {
      findings.add(
          "%s: the commit of %s follows that of %s in the journal, but is not later"
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
    decodeName(id);
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    if (decodes) {
      decode(type, effect);
    }
  }

  @CanIgnoreReturnValue
  private static ObjectName decodeName(Bytes id) {
    return ObjectName.of(id);
  }

  @CanIgnoreReturnValue
  private static Object decode(CrdtType<?, ?, ?, ?> type, ByteBuffer effect) {
    byte[] bytes = new byte[effect.remaining()];
    effect.get(bytes);
    return CallTypes.decodeEffect(type, bytes);
  }

  long records() {
    return records;
  }

  long effects() {
    return effects;
  }

  /** The approximate memory that all effects would take. */
  long effectBytes() {
    return effectBytes;
  }
}
