package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionRecord;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction of several partitions has read and written on one of them, as messages carry
 * it: a value that is encoded once, may be sent as often as is needed, and of which a partition
 * makes its own {@link CommitRequest}. Immutable.
 */
public final class TransactionPart {
  private final CommitRequest.Part part;
  private final TransactionFacts facts;

  /** The record's bytes without a time; never changed. */
  private final byte[] body;

  /** Made when it is needed first. */
  private volatile @Nullable Bytes wire;

  private TransactionPart(CommitRequest.Part part, TransactionFacts facts) {
    this.part = part;
    this.facts = facts;
    this.body = CommitRequest.encode(part, facts);
  }

  /**
   * A part with what its record says beside time and effects.
   *
   * @param part not changed any more
   */
  public static TransactionPart of(CommitRequest.Part part, TransactionFacts facts) {
    return new TransactionPart(part, facts);
  }

  /** The transaction of several partitions that this is a part of. */
  public TransactionId id() {
    return facts.id().orElseThrow();
  }

  /** What the transaction has read at. */
  public VectorClock snapshot() {
    return part.snapshot();
  }

  /** The size of its record, about that of {@link #toWire}, which this does not make. */
  public int bytes() {
    return body.length;
  }

  /** A request of its own for the partition that executes this. */
  public CommitRequest toRequest() {
    return CommitRequest.encoded(part, facts, body.clone());
  }

  /** The bytes for the process that the partition is in. */
  public Bytes toWire() {
    Bytes made = wire;
    if (made == null) {
      made = encodeWire(part, facts);
      wire = made;
    }
    return made;
  }

  /** The bytes of a part, which say more than its record: all that is certified. */
  static Bytes encodeWire(CommitRequest.Part part, TransactionFacts facts) {
    TransactionFacts all =
        new TransactionFacts(
            facts.request(), facts.id(), facts.participants(), List.copyOf(part.certified()));
    byte[] encoded = CommitRequest.encode(part, all);
    // No time yet, but a record has one.
    TransactionRecord.setCommitTime(encoded, 1);
    return Bytes.wrap(encoded);
  }

  /**
   * The part that another process has sent.
   *
   * @param frontierAt the frontier at which the partition has pruned what a snapshot sees
   * @throws io.github.stablecut.crdt.FormatException if there is none in the bytes
   */
  public static TransactionPart fromWire(Bytes wire, UnaryOperator<VectorClock> frontierAt) {
    CommitRequest sent = CommitRequest.decode(wire.toArray(), 0);
    TransactionFacts facts = sent.facts();
    boolean isParticipant = facts.id().isPresent() && facts.participants().isEmpty();
    CommitRequest.Part part = sent.prunedAt(frontierAt.apply(sent.snapshot()));
    List<Bytes> certified = isParticipant ? facts.certified() : List.of();
    return of(
        part, new TransactionFacts(facts.request(), facts.id(), facts.participants(), certified));
  }
}
