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

  /** A flag of the first byte: objects may be written as types that they don't have. */
  private static final int OTHER_TYPES = 1;

  /** A flag of the first byte: certified parts on other partitions were prepared before. */
  private static final int FOLLOWS_CERTIFIED = 2;

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

  /** Whether it is committed after certified parts on other partitions were prepared. */
  public boolean followsCertified() {
    return part.followsCertified();
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
   * Encodes a part: 1 byte of flags, the length of its record, the record, and what is certified.
   */
  static Bytes encodeWire(CommitRequest.Part part, TransactionMetadata facts) {
    byte[] record = CommitRequest.encode(part, facts);
    // There is no time yet, but the record format has a field for it.
    TransactionRecord.setCommitTime(record, 1);
    Bytes certified = part.certified().encode();
    ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + record.length + certified.length());
    out.put(flags(part)).putInt(record.length).put(record);
    certified.copyInto(out.array(), out.position());
    return Bytes.wrap(out.array());
  }

  private static byte flags(CommitRequest.Part part) {
    int types = part.allowsOtherTypes() ? OTHER_TYPES : 0;
    int order = part.followsCertified() ? FOLLOWS_CERTIFIED : 0;
    return (byte) (types | order);
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
    int flags = isHeaded ? in.get() : 0;
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
    boolean allowsOtherTypes = (flags & OTHER_TYPES) != 0;
    boolean followsCertified = (flags & FOLLOWS_CERTIFIED) != 0;
    return of(
        sent.part().received(certified, frontier, allowsOtherTypes, followsCertified),
        sent.facts());
  }
}
