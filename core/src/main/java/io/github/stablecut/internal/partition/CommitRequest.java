package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.watch.Committed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on its way to being committed: its effects and its record. Made by the
 * transaction's thread, stamped under the commit lock, completed by the thread that commits groups.
 */
public final class CommitRequest extends AwaitedRecord implements Committed {
  /**
   * What a transaction does to one object.
   *
   * @param effects in the order of execution, with self dots
   * @param encoded the same effects' bytes
   */
  public record ObjectWrite(
      Bytes id, CrdtType<?, ?, ?, ?> type, List<Object> effects, List<byte[]> encoded) {}

  private final int dataCentre;
  private final VectorClock snapshot;
  private final VectorClock pruneFrontier;
  private final List<ObjectWrite> writes;
  private final Set<Bytes> certified;
  private final byte[] body;
  private final IndexedEffect[] indexed;

  private final List<Bytes> toFold = new ArrayList<>(0);

  private @Nullable Commit commit;

  private CommitRequest(
      int dataCentre,
      VectorClock snapshot,
      VectorClock pruneFrontier,
      List<ObjectWrite> writes,
      Set<Bytes> certified,
      byte[] body) {
    super(RecordKind.TRANSACTION, body);
    this.dataCentre = dataCentre;
    this.snapshot = snapshot;
    this.pruneFrontier = pruneFrontier;
    this.writes = writes;
    this.certified = certified;
    this.body = body;
    int effects = 0;
    for (ObjectWrite write : writes) {
      effects += write.effects.size();
    }
    this.indexed = new IndexedEffect[effects];
  }

  /**
   * A request with everything done that can be done without the commit lock.
   *
   * @param snapshot what the transaction has read at
   * @param pruneFrontier at which the states were pruned that the effects were made from
   * @param writes at least one
   * @param certified what nobody else may have written since the snapshot
   */
  public static CommitRequest of(
      int dataCentre,
      VectorClock snapshot,
      VectorClock pruneFrontier,
      List<ObjectWrite> writes,
      Set<Bytes> certified) {
    List<TransactionRecord.Entry> entries = new ArrayList<>(writes.size());
    for (ObjectWrite write : writes) {
      entries.add(new TransactionRecord.Entry(write.id, write.encoded));
    }
    byte[] body = TransactionRecord.encode(dataCentre, snapshot, pruneFrontier, entries);
    return new CommitRequest(dataCentre, snapshot, pruneFrontier, writes, certified, body);
  }

  VectorClock snapshot() {
    return snapshot;
  }

  List<ObjectWrite> writes() {
    return writes;
  }

  Set<Bytes> certified() {
    return certified;
  }

  /**
   * Gives the transaction its commit time and its effects to the index. Under the commit lock.
   *
   * @param foldAfter when an object lacks a multiple of so many effects, it is one {@link #toFold}
   */
  void stamp(long time, ObjectIndex index, int foldAfter) {
    TransactionRecord.setCommitTime(body, time);
    Commit stamped =
        new Commit(new EffectOrigin(dataCentre, time, pruneFrontier), snapshot, Commit.NOWHERE);
    commit = stamped;
    int ordinal = 0;
    for (ObjectWrite write : writes) {
      for (Object effect : write.effects) {
        indexed[ordinal] = new IndexedEffect(stamped, ordinal, effect);
        int unfolded = index.append(write.id, write.type, indexed[ordinal++]);
        if (unfolded > 0 && unfolded % foldAfter == 0) {
          toFold.add(write.id);
        }
      }
    }
  }

  /** The objects whose lists of effects have become long. */
  List<Bytes> toFold() {
    return toFold;
  }

  /** The commit of a stamped transaction. */
  Commit commit() {
    Commit stamped = commit;
    if (stamped == null) {
      throw new IllegalStateException("the transaction has no commit time yet");
    }
    return stamped;
  }

  @Override
  public VectorClock commitVector() {
    return commit().vector();
  }

  @Override
  public void forEachWritten(BiConsumer<Bytes, CrdtType<?, ?, ?, ?>> visitor) {
    writes.forEach(write -> visitor.accept(write.id, write.type));
  }

  /**
   * Takes note of where the journal has put the record. On the thread that commits groups.
   *
   * @return the number of effects
   */
  int place(EffectBudget budget) {
    commit().placeAt(position());
    int ordinal = 0;
    for (ObjectWrite write : writes) {
      for (byte[] encoded : write.encoded) {
        budget.admit(indexed[ordinal++], encoded.length);
      }
    }
    return ordinal;
  }
}
