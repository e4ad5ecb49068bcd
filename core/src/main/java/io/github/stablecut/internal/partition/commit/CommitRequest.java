package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.EffectBudget;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.internal.watch.CommittedTransaction;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A commit of a transaction on one partition: its effects and its record. The transaction's thread
 * creates it, the sequencer stamps it under the commit lock, and the thread that flushes groups
 * completes it.
 */
public final class CommitRequest extends AwaitedRecord implements CommittedTransaction {
  /**
   * A transaction's writes to one object. An object may be written as one of several types: then
   * there are several.
   *
   * @param effects in the order of execution, with self dots
   * @param encoded the encoded effects
   */
  public record ObjectWrite(
      Bytes id, CrdtType<?, ?, ?, ?> type, List<Object> effects, List<byte[]> encoded)
      implements TransactionRecord.Effects {
    private IndexedEffect indexed(int effect, Commit commit, int ordinal) {
      return IndexedEffect.inMemory(
          commit, type, ordinal, effects.get(effect), encoded.get(effect));
    }
  }

  /**
   * A transaction's part on one partition.
   *
   * @param snapshot the snapshot that the transaction reads
   * @param pruneFrontier the frontier at which the states were pruned that the effects were made
   *     from
   * @param certified what no other transaction may have changed since the snapshot
   * @param allowsOtherTypes whether objects may be written as types that they don't have
   * @param followsCertified whether it is committed after certified parts on other partitions were
   *     prepared: it is refused where it would have to wait
   */
  public record Part(
      int dataCentre,
      VectorClock snapshot,
      VectorClock pruneFrontier,
      List<ObjectWrite> writes,
      Footprints certified,
      boolean allowsOtherTypes,
      boolean followsCertified) {
    /** As the canonical constructor, for a part that follows no certified parts. */
    public Part(
        int dataCentre,
        VectorClock snapshot,
        VectorClock pruneFrontier,
        List<ObjectWrite> writes,
        Footprints certified,
        boolean allowsOtherTypes) {
      this(dataCentre, snapshot, pruneFrontier, writes, certified, allowsOtherTypes, false);
    }

    /** As the canonical constructor, with objects as the types that they have. */
    public Part(
        int dataCentre,
        VectorClock snapshot,
        VectorClock pruneFrontier,
        List<ObjectWrite> writes,
        Footprints certified) {
      this(dataCentre, snapshot, pruneFrontier, writes, certified, false);
    }

    /** As the canonical constructor, for whole objects. */
    public Part(
        int dataCentre,
        VectorClock snapshot,
        VectorClock pruneFrontier,
        List<ObjectWrite> writes,
        Set<Bytes> certified) {
      this(dataCentre, snapshot, pruneFrontier, writes, Footprints.whole(certified));
    }

    /** The size of its effects. */
    public long bytes() {
      long bytes = 0;
      for (ObjectWrite write : writes) {
        for (byte[] effect : write.encoded) {
          bytes += effect.length;
        }
      }
      return bytes;
    }

    /** As this part, committed after certified parts on other partitions were prepared. */
    public Part afterCertified() {
      return new Part(
          dataCentre, snapshot, pruneFrontier, writes, certified, allowsOtherTypes, true);
    }

    /** The part at its receiver: with what is certified, and its prune frontier raised. */
    Part received(
        Footprints certifiedParts, VectorClock frontier, boolean ofAnyType, boolean follows) {
      return new Part(
          dataCentre,
          snapshot,
          pruneFrontier.join(frontier),
          writes,
          certifiedParts,
          ofAnyType,
          follows);
    }
  }

  private final Part part;
  private final TransactionMetadata facts;
  private final byte[] body;
  private final IndexedEffect[] indexed;

  private List<Bytes> toFold = List.of();

  /** The writes of types that their objects were found to have. */
  private List<ObjectWrite> typesFound = List.of();

  private @Nullable Commit commit;

  /** The position of the prepared record; 0 if this was not prepared. */
  private long preparedAt;

  private long rangesCheckedAt = -1;

  private volatile @Nullable Runnable then;

  private CommitRequest(Part part, TransactionMetadata facts, byte[] body) {
    super(RecordKind.TRANSACTION, body);
    this.part = part;
    this.facts = facts;
    this.body = body;
    int effects = 0;
    for (int i = 0; i < part.writes.size(); i++) {
      effects += part.writes.get(i).effects.size();
    }
    this.indexed = new IndexedEffect[effects];
  }

  /** Creates a request; does all work that needs no commit lock. */
  public static CommitRequest of(Part part, TransactionMetadata facts) {
    return new CommitRequest(part, facts, encode(part, facts));
  }

  /** Encodes a record without a commit time. */
  static byte[] encode(Part part, TransactionMetadata facts) {
    return TransactionRecord.encode(
        part.dataCentre, part.snapshot, part.pruneFrontier, facts, part.writes);
  }

  /** A request that only describes a part and is never committed. */
  public static CommitRequest unsent(Part part) {
    return new CommitRequest(part, TransactionMetadata.none(), new byte[0]);
  }

  /** Encodes an unstamped request for the process that owns the partition. */
  public Bytes toWire() {
    return TransactionPart.encodeWire(part, facts);
  }

  public Part part() {
    return part;
  }

  /**
   * Decodes the request from a record.
   *
   * @param body kept and modified by the request
   * @param position the position of the record, for messages
   */
  static CommitRequest decode(byte[] body, long position) {
    List<ObjectWrite> writes = new ArrayList<>();
    TransactionMetadata[] facts = {TransactionMetadata.none()};
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
            List.copyOf(writes),
            Footprints.whole(facts[0].certified(), facts[0].ranges()));
    return new CommitRequest(part, facts[0], body);
  }

  /**
   * Decodes a transaction of another data centre.
   *
   * @param record as {@link TransactionRecord#linked} makes it; kept by the request
   * @throws io.github.stablecut.crdt.FormatException if it is malformed
   */
  public static CommitRequest received(byte[] record) {
    return decode(record, Commit.NOWHERE);
  }

  /** Adds the next effect; those of one write follow each other. */
  private static void add(List<ObjectWrite> writes, Bytes id, ByteBuffer effect) {
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(effect);
    byte[] encoded = new byte[effect.remaining()];
    effect.get(encoded);
    ObjectWrite write = writes.isEmpty() ? null : writes.get(writes.size() - 1);
    if (write == null || !write.id.equals(id) || write.type != type) {
      write = new ObjectWrite(id, type, new ArrayList<>(1), new ArrayList<>(1));
      writes.add(write);
    }
    write.effects.add(CallTypes.decodeEffect(type, encoded));
    write.encoded.add(encoded);
  }

  /** The size of its record, which approximates that of {@link #toWire}. */
  public int bytes() {
    return body.length;
  }

  /** The commit time in the record, or the prepare time. */
  public long time() {
    return TransactionRecord.commitTime(body);
  }

  /** The data centre that commits the transaction. */
  public int dataCentre() {
    return part.dataCentre;
  }

  /** The transaction's snapshot. */
  public VectorClock snapshot() {
    return part.snapshot;
  }

  List<ObjectWrite> writes() {
    return part.writes;
  }

  /** The objects of which a part is certified. */
  Set<Bytes> certified() {
    return part.certified.objects();
  }

  /** Whether it may write objects as types that they don't have. */
  boolean allowsOtherTypes() {
    return part.allowsOtherTypes;
  }

  /** The certified ranges of ids. */
  List<Footprint.Elements> ranges() {
    return part.certified.ranges();
  }

  /** Whether anything is certified. */
  boolean certifies() {
    return !part.certified.isEmpty();
  }

  /**
   * Whether it waits for prepared transactions that have certified what it writes. Otherwise it is
   * refused: it certifies something itself, or follows certified parts of its transaction, which
   * others wait for.
   */
  boolean waitsForCertified() {
    return !certifies() && !part.followsCertified;
  }

  /**
   * The number of changes of the index that were considered when the certified ranges were checked
   * before the commit lock was taken; below 0 if they were not.
   */
  long rangesCheckedAt() {
    return rangesCheckedAt;
  }

  void setRangesCheckedAt(long changes) {
    rangesCheckedAt = changes;
  }

  /** Notes that an object that has left memory has the type that it is written as. */
  void foundType(ObjectWrite write) {
    typesFound = with(typesFound, write);
  }

  /** Whether {@link #foundType} was called for a write. */
  boolean hasFoundType(ObjectWrite write) {
    return typesFound.contains(write);
  }

  /** The certified parts of an object. */
  Set<Footprint> footprints(Bytes id) {
    return part.certified.of(id);
  }

  public TransactionMetadata facts() {
    return facts;
  }

  Optional<RequestId> request() {
    return facts.request();
  }

  /** The distributed transaction that this is a part of. */
  public TransactionId id() {
    return facts.id().orElseThrow();
  }

  /** The record with a prepare time; unchanged until {@link #stamp}. */
  public byte[] prepared(long time) {
    TransactionRecord.setCommitTime(body, time);
    return body;
  }

  /** Registers an action that runs once this is durable and visible. Before it is appended. */
  public void then(Runnable action) {
    then = action;
  }

  @Override
  void durable(DurableGroup group) {
    group.commit(this);
  }

  @Override
  Optional<CommittedTransaction> committed() {
    return Optional.of(this);
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
   * Sets the commit time and adds the effects to the index. Under the commit lock.
   *
   * @param foldAfter an object that lacks a multiple of this many effects is added to {@link
   *     #toFold}
   */
  void stamp(long time, ObjectIndex index, int foldAfter) {
    Commit stamped = stamp(time);
    int ordinal = 0;
    for (int object = 0; object < part.writes.size(); object++) {
      ObjectWrite write = part.writes.get(object);
      for (int i = 0; i < write.effects.size(); i++) {
        indexed[ordinal] = write.indexed(i, stamped, ordinal);
        int unfolded = index.append(write.id, indexed[ordinal++]);
        if (unfolded > 0 && unfolded % foldAfter == 0) {
          toFold = with(toFold, write.id);
        }
      }
    }
  }

  /**
   * Like {@link #stamp(long, ObjectIndex, int)}, for a prepared part: its effects replace its
   * intents.
   *
   * @param position the position of the prepared record
   */
  void stampPrepared(long time, ObjectIndex index, long position) {
    preparedAt = position;
    Commit stamped = stamp(time);
    int ordinal = 0;
    for (ObjectWrite write : part.writes) {
      List<IndexedEffect> effects = new ArrayList<>(write.effects.size());
      for (int i = 0; i < write.effects.size(); i++) {
        indexed[ordinal] = write.indexed(i, stamped, ordinal);
        effects.add(indexed[ordinal++]);
      }
      index.decide(write.id, id(), effects);
    }
  }

  /** Adds to a list. The empty list, which most remain, is shared. */
  private static <T> List<T> with(List<T> list, T added) {
    List<T> grown = list.isEmpty() ? new ArrayList<>() : list;
    grown.add(added);
    return grown;
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

  /** The position of the prepared record; 0 if this was not prepared. */
  long preparedAt() {
    return preparedAt;
  }

  /** The objects that are due for folding. */
  List<Bytes> toFold() {
    return toFold;
  }

  /** The commit of a stamped transaction. */
  public Commit commit() {
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
  public void forEachWritten(CommittedTransaction.Visitor visitor) {
    part.writes.forEach(write -> visitor.written(write.id, write.type, write.encoded));
  }

  /**
   * Sets the position of the durable record. On the thread that flushes groups.
   *
   * @return the {@link Maintenance#weight} of the effects
   */
  long place(EffectBudget budget) {
    commit().placeAt(position());
    for (IndexedEffect effect : indexed) {
      budget.admit(effect);
    }
    long weight = 0;
    for (ObjectWrite write : part.writes) {
      weight += (long) Maintenance.weight(write.id) * write.encoded.size();
    }
    return weight;
  }
}
