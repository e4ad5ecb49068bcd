package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.watch.Committed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction does to the objects of one partition, on its way to being committed: its
 * effects and its record. Made by the transaction's thread, stamped under the commit lock,
 * completed by the thread that flushes groups.
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

  /**
   * What a transaction has read and written on one partition.
   *
   * @param snapshot what the transaction has read at
   * @param pruneFrontier at which the states were pruned that the effects were made from
   * @param certified what nobody else may have written since the snapshot
   */
  public record Part(
      int dataCentre,
      VectorClock snapshot,
      VectorClock pruneFrontier,
      List<ObjectWrite> writes,
      Set<Bytes> certified) {}

  private final Part part;
  private final TransactionFacts facts;
  private final byte[] body;
  private final IndexedEffect[] indexed;

  private final List<Bytes> toFold = new ArrayList<>(0);

  private @Nullable Commit commit;

  /** Where the prepared record is; 0 if this was not prepared. */
  private long preparedAt;

  private volatile @Nullable Runnable then;

  private CommitRequest(Part part, TransactionFacts facts, byte[] body) {
    super(RecordKind.TRANSACTION, body);
    this.part = part;
    this.facts = facts;
    this.body = body;
    int effects = 0;
    for (ObjectWrite write : part.writes) {
      effects += write.effects.size();
    }
    this.indexed = new IndexedEffect[effects];
  }

  /** A request with everything done that can be done without the commit lock. */
  public static CommitRequest of(Part part, TransactionFacts facts) {
    return new CommitRequest(part, facts, encode(part, facts));
  }

  /** The bytes of a record without a time. */
  static byte[] encode(Part part, TransactionFacts facts) {
    List<TransactionRecord.Entry> entries = new ArrayList<>(part.writes.size());
    for (ObjectWrite write : part.writes) {
      entries.add(new TransactionRecord.Entry(write.id, write.encoded));
    }
    return TransactionRecord.encode(
        part.dataCentre, part.snapshot, part.pruneFrontier, facts, entries);
  }

  /** A request whose record's bytes are at hand, and used from now on. */
  static CommitRequest encoded(Part part, TransactionFacts facts, byte[] body) {
    return new CommitRequest(part, facts, body);
  }

  /** The bytes of a request that was not stamped, for the process that the partition is in. */
  public Bytes toWire() {
    return TransactionPart.encodeWire(part, facts);
  }

  /** What is read and written, made from states that were pruned at a frontier too. */
  Part prunedAt(VectorClock frontier) {
    return new Part(
        part.dataCentre,
        part.snapshot,
        part.pruneFrontier.join(frontier),
        part.writes,
        part.certified);
  }

  /**
   * The request that a record was made of.
   *
   * @param body used from now on, and changed
   * @param position where the record is, for messages
   */
  static CommitRequest decode(byte[] body, long position) {
    Map<Bytes, ObjectWrite> writes = new LinkedHashMap<>();
    TransactionFacts[] facts = {TransactionFacts.NONE};
    Commit read =
        TransactionRecord.read(
            body,
            position,
            (commit, ordinal, id, effect) -> add(writes, id, effect),
            found -> facts[0] = found);
    Part part =
        new Part(
            read.origin().dataCentre(),
            read.snapshot(),
            read.origin().pruneFrontier(),
            List.copyOf(writes.values()),
            Set.copyOf(facts[0].certified()));
    return new CommitRequest(part, facts[0], body);
  }

  private static void add(Map<Bytes, ObjectWrite> writes, Bytes id, ByteBuffer effect) {
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    byte[] encoded = new byte[effect.remaining()];
    effect.get(encoded);
    ObjectWrite write =
        writes.computeIfAbsent(
            id, key -> new ObjectWrite(id, type, new ArrayList<>(1), new ArrayList<>(1)));
    write.effects.add(Folding.decodeEffect(type, encoded));
    write.encoded.add(encoded);
  }

  /** The size of its record, about that of {@link #toWire}, which this does not make. */
  public int bytes() {
    return body.length;
  }

  /** What the transaction has read at. */
  public VectorClock snapshot() {
    return part.snapshot;
  }

  List<ObjectWrite> writes() {
    return part.writes;
  }

  Set<Bytes> certified() {
    return part.certified;
  }

  TransactionFacts facts() {
    return facts;
  }

  Optional<RequestId> request() {
    return facts.request();
  }

  /** The transaction of several partitions that this is a part of. */
  TransactionId id() {
    return facts.id().orElseThrow();
  }

  /** The record's bytes with a prepare time; not changed before {@link #stamp}. */
  byte[] prepared(long time) {
    TransactionRecord.setCommitTime(body, time);
    return body;
  }

  /** Has something done once this is durable and visible. Before it is appended. */
  void then(Runnable action) {
    then = action;
  }

  @Override
  void durable(DurableGroup group) {
    group.commit(this);
  }

  @Override
  void succeed() {
    super.succeed();
    Runnable action = then;
    if (action != null) {
      action.run();
    }
  }

  /**
   * Gives the transaction its commit time and its effects to the index. Under the commit lock.
   *
   * @param foldAfter when an object lacks a multiple of so many effects, it is one {@link #toFold}
   */
  void stamp(long time, ObjectIndex index, int foldAfter) {
    Commit stamped = stamp(time);
    int ordinal = 0;
    for (ObjectWrite write : part.writes) {
      for (Object effect : write.effects) {
        indexed[ordinal] = new IndexedEffect(stamped, ordinal, effect);
        int unfolded = index.append(write.id, write.type, indexed[ordinal++]);
        if (unfolded > 0 && unfolded % foldAfter == 0) {
          toFold.add(write.id);
        }
      }
    }
  }

  /**
   * As {@link #stamp(long, ObjectIndex, int)} for a part that was prepared: its effects take the
   * places of its intents.
   *
   * @param position where the prepared record is
   */
  void stampPrepared(long time, ObjectIndex index, long position) {
    preparedAt = position;
    Commit stamped = stamp(time);
    int ordinal = 0;
    for (ObjectWrite write : part.writes) {
      List<IndexedEffect> effects = new ArrayList<>(write.effects.size());
      for (Object effect : write.effects) {
        indexed[ordinal] = new IndexedEffect(stamped, ordinal, effect);
        effects.add(indexed[ordinal++]);
      }
      index.decide(write.id, id(), effects);
    }
  }

  private Commit stamp(long time) {
    TransactionRecord.setCommitTime(body, time);
    Commit stamped =
        new Commit(
            new EffectOrigin(part.dataCentre, time, part.pruneFrontier),
            part.snapshot,
            Commit.NOWHERE);
    commit = stamped;
    return stamped;
  }

  /** Where the prepared record is; 0 if this was not prepared. */
  long preparedAt() {
    return preparedAt;
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
    part.writes.forEach(write -> visitor.accept(write.id, write.type));
  }

  /**
   * Takes note of where the journal has put the record. On the thread that flushes groups.
   *
   * @return the number of effects
   */
  int place(EffectBudget budget) {
    commit().placeAt(position());
    int ordinal = 0;
    for (ObjectWrite write : part.writes) {
      for (byte[] encoded : write.encoded) {
        budget.admit(indexed[ordinal++], encoded.length);
      }
    }
    return ordinal;
  }
}
