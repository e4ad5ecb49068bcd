package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The part of a distributed transaction on one partition, as messages carry it: a value that is
 * encoded once and may be sent repeatedly; each partition creates its own {@link CommitRequest}
 * from it. Immutable.
 */
public final class TransactionPart {
  private static final int HEAD_BYTES = 1 + Integer.BYTES;

  private final CommitRequest.Part part;
  private final TransactionMetadata facts;

  /** Encoded on first use. */
  private volatile @Nullable Bytes wire;

  private TransactionPart(CommitRequest.Part part, TransactionMetadata facts) {
    this.part = part;
    this.facts = facts;
  }

  /**
   * Creates a part with the header of its record.
   *
   * @param part not modified from now on
   */
  public static TransactionPart of(CommitRequest.Part part, TransactionMetadata facts) {
    return new TransactionPart(part, facts);
  }

  /** The distributed transaction that this is a part of. */
  public TransactionId id() {
    return facts.id().orElseThrow();
  }

  /** The transaction's snapshot. */
  public VectorClock snapshot() {
    return part.snapshot();
  }

  /** The size of {@link #toWire}. */
  public int bytes() {
    return toWire().length();
  }

  /** Creates a request for the partition that executes this part. */
  public CommitRequest toRequest() {
    return CommitRequest.of(part, facts);
  }

  /** Encodes the part for the process that owns the partition. */
  public Bytes toWire() {
    Bytes made = wire;
    if (made == null) {
      made = encodeWire(part, facts);
      wire = made;
    }
    return made;
  }

  /**
   * Encodes a part: 1 byte, 1 if it may write objects as types that they don't have; the length of
   * its record, the record, and what is certified.
   */
  static Bytes encodeWire(CommitRequest.Part part, TransactionMetadata facts) {
    byte[] record = CommitRequest.encode(part, facts);
    // There is no time yet, but the record format has a field for it.
    TransactionRecord.setCommitTime(record, 1);
    Bytes certified = part.certified().encode();
    ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + record.length + certified.length());
    out.put((byte) (part.allowsOtherTypes() ? 1 : 0)).putInt(record.length).put(record);
    certified.copyInto(out.array(), out.position());
    return Bytes.wrap(out.array());
  }

  /**
   * Decodes a part that another process has sent.
   *
   * @param frontierAt the frontier at which the partition has pruned what a snapshot sees
   * @throws io.github.stablecut.crdt.FormatException if the bytes are malformed
   */
  public static TransactionPart fromWire(Bytes wire, UnaryOperator<VectorClock> frontierAt) {
    ByteBuffer in = wire.asBuffer();
    boolean isHeaded = in.remaining() >= HEAD_BYTES;
    boolean allowsOtherTypes = isHeaded && in.get() == 1;
    int length = isHeaded ? in.getInt() : -1;
    if (length < 0 || length > in.remaining()) {
      throw new FormatException("a part of a transaction ends before its record");
    }
    byte[] record = new byte[length];
    in.get(record);
    CommitRequest sent = CommitRequest.decode(record, 0);
    Footprints certified = Footprints.decode(wire.slice(in.position(), wire.length()));
    if (!certified.objects().containsAll(sent.certified())) {
      throw new FormatException(
          "a part of a transaction does not certify all objects that its record lists");
    }
    VectorClock frontier = frontierAt.apply(sent.snapshot());
    return of(sent.part().received(certified, frontier, allowsOtherTypes), sent.facts());
  }
}
