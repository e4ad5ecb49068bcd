package io.github.stablecut.internal.record;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The record of one committed transaction: all its effects on this partition, which makes it
 * atomic.
 *
 * <pre>
 *   version          1 byte, now 3
 *   commit time      8 bytes, big-endian; written last, under the commit lock
 *   data centre      number
 *   snapshot         vector: the vector at which the transaction read
 *   prune frontier   vector: the prune frontier of the states that its effects were made from
 *   metadata         1 byte, the sum of the numbers of the fields that follow ({@link TransactionMetadata})
 *     1: request     session, 28 bytes ({@link SessionsRecord}); number; digest, 16 bytes
 *     2: id          coordinator, epoch, sequence: numbers
 *     4: participants  number of them, then each as a number
 *     8: certified   number of them, then for each its number of bytes, bytes
 *     16: ranges     number of them, then for each two ids, as number of bytes, bytes: the first
 *                    one in it, and the first one above it, empty if there is none
 *     32: previous   number: of a transaction of another data centre, the commit time of the one
 *                    before it in that data centre's stream
 *   effects          number of objects, then for each
 *     object id      number of bytes, bytes
 *     effects        number of effects, then for each its number of bytes, bytes ({@link io.github.stablecut.crdt.codec.CrdtCodec})
 *
 *   number           1 to 9 bytes, 7 bits each, low bits first, the eighth set while more follow
 *   vector           number of entries, then each as a number
 * </pre>
 *
 * <p>The journal verifies checksums and lengths before these bytes are read. Bytes that are still
 * malformed were written so, and cause a {@link FormatException}.
 */
public final class TransactionRecord {
  private static final int VERSION = 3;
  private static final int TIME_OFFSET = 1;
  private static final int HEADER_BYTES = TIME_OFFSET + Long.BYTES;

  private static final VarHandle TIME =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private TransactionRecord() {}

  /** The effects on one object. */
  public interface Effects {
    /** The object's id. */
    Bytes id();

    /** The encoded effects in the order of execution. */
    List<byte[]> encoded();
  }

  /** A plain implementation of {@link Effects}. */
  public record Entry(Bytes id, List<byte[]> encoded) implements Effects {}

  /** Visits the effects of a record. */
  @FunctionalInterface
  public interface EffectVisitor {
    /** Whether to visit the effects of a commit; if not, they are not decoded. */
    default boolean wants(Commit commit) {
      return true;
    }

    /**
     * Visits one effect.
     *
     * @param ordinal 0 for the first effect of the record
     * @param effect the effect's bytes, from its position to its limit
     */
    void visit(Commit commit, int ordinal, Bytes id, ByteBuffer effect);
  }

  /**
   * Encodes a transaction without a commit time, which {@link #setCommitTime} adds.
   *
   * @param pruneFrontier the prune frontier of the states that its effects were made from
   */
  public static byte[] encode(
      int dataCentre,
      VectorClock snapshot,
      VectorClock pruneFrontier,
      TransactionMetadata facts,
      List<? extends Effects> entries) {
    int size =
        HEADER_BYTES
            + RecordFields.numberBytes(dataCentre)
            + RecordFields.vectorBytes(snapshot)
            + RecordFields.vectorBytes(pruneFrontier);
    size += TransactionMetadataFormat.bytes(facts) + RecordFields.numberBytes(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      size += bytes(entries.get(i));
    }
    // Writes into an array: a buffer would be one more allocation.
    byte[] out = new byte[size];
    out[0] = VERSION;
    int at = RecordFields.putNumber(out, HEADER_BYTES, dataCentre);
    at = RecordFields.putVector(out, at, snapshot);
    at = RecordFields.putVector(out, at, pruneFrontier);
    at = TransactionMetadataFormat.put(out, at, facts);
    at = RecordFields.putNumber(out, at, entries.size());
    for (int i = 0; i < entries.size(); i++) {
      at = put(out, at, entries.get(i));
    }
    return out;
  }

  private static int bytes(Effects entry) {
    List<byte[]> effects = entry.encoded();
    int size = RecordFields.numberBytes(entry.id().length()) + entry.id().length();
    size += RecordFields.numberBytes(effects.size());
    for (int i = 0; i < effects.size(); i++) {
      size += RecordFields.numberBytes(effects.get(i).length) + effects.get(i).length;
    }
    return size;
  }

  private static int put(byte[] out, int begin, Effects entry) {
    List<byte[]> effects = entry.encoded();
    int at = RecordFields.putBytes(out, begin, entry.id());
    at = RecordFields.putNumber(out, at, effects.size());
    for (int i = 0; i < effects.size(); i++) {
      byte[] effect = effects.get(i);
      at = RecordFields.putNumber(out, at, effect.length);
      System.arraycopy(effect, 0, out, at, effect.length);
      at += effect.length;
    }
    return at;
  }

  /** Sets the commit time in the bytes of a transaction. */
  public static void setCommitTime(byte[] encoded, long commitTime) {
    TIME.set(encoded, TIME_OFFSET, commitTime);
  }

  /** The commit time, or prepare time, in the bytes of a transaction. */
  public static long commitTime(byte[] encoded) {
    return (long) TIME.get(encoded, TIME_OFFSET);
  }

  /**
   * Reads a record.
   *
   * @param body the record's body
   * @param position where the record is in the journal
   * @return its commit
   */
  @CanIgnoreReturnValue
  public static Commit read(byte[] body, long position, EffectVisitor visitor) {
    return read(body, position, visitor, facts -> {});
  }

  /** Like {@link #read}; visits the metadata too, after the effects. */
  @CanIgnoreReturnValue
  public static Commit read(
      byte[] body,
      long position,
      EffectVisitor visitor,
      Consumer<TransactionMetadata> factsVisitor) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      Commit commit = readCommit(in, position);
      TransactionMetadata facts = TransactionMetadataFormat.read(in, position);
      int objects = visitor.wants(commit) ? RecordFields.readSize(in) : 0;
      int ordinal = 0;
      for (int object = 0; object < objects; object++) {
        Bytes id = Bytes.wrap(RecordFields.readBytes(in));
        int effects = RecordFields.readSize(in);
        for (int i = 0; i < effects; i++) {
          visitor.visit(commit, ordinal++, id, RecordFields.readSlice(in));
        }
      }
      factsVisitor.accept(facts);
      return commit;
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  /**
   * The bytes of a committed transaction for a backup: without the data of the commit protocol,
   * which only its partitions needed, as a backup has it on all of them.
   *
   * @param body the record's body
   * @param position where the record is in the journal
   */
  public static byte[] decided(byte[] body, long position) {
    TransactionMetadata facts = facts(body, position);
    return facts.id().isEmpty()
        ? body
        : withFacts(body, position, TransactionMetadata.of(facts.request()));
  }

  /**
   * The bytes of a committed transaction for other data centres: without the metadata that only its
   * own data centre needs, and linked to the previous one in the stream.
   *
   * @param body the record's body
   * @param position where the record is in the journal
   * @param previous the commit time of the transaction before it, 0 if there is none
   */
  public static byte[] linked(byte[] body, long position, long previous) {
    return withFacts(body, position, TransactionMetadata.received(previous));
  }

  private static byte[] withFacts(byte[] body, long position, TransactionMetadata facts) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      readCommit(in, position);
      int head = in.position();
      TransactionMetadataFormat.read(in, position);
      byte[] out =
          Arrays.copyOf(body, head + TransactionMetadataFormat.bytes(facts) + in.remaining());
      in.get(out, TransactionMetadataFormat.put(out, head, facts), in.remaining());
      return out;
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  /**
   * Decodes the commit of a record's transaction, but not its effects.
   *
   * @param position where the record is in the journal
   */
  public static Commit commit(byte[] body, long position) {
    try {
      return readCommit(ByteBuffer.wrap(body), position);
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  /** Decodes the metadata of a record's transaction, but not its effects. */
  public static TransactionMetadata facts(byte[] body, long position) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      readCommit(in, position);
      return TransactionMetadataFormat.read(in, position);
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  /** The bytes of one effect of a record. */
  public static byte[] readEffect(byte[] body, long position, int ordinal) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      readHead(in, position);
      int objects = RecordFields.readSize(in);
      int before = ordinal;
      for (int object = 0; object < objects; object++) {
        RecordFields.skip(in);
        int effects = RecordFields.readSize(in);
        for (int i = 0; i < effects; i++) {
          if (before-- == 0) {
            return RecordFields.readBytes(in);
          }
          RecordFields.skip(in);
        }
      }
      throw noEffect(position, ordinal);
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  static FormatException noEffect(long position, int ordinal) {
    return malformed(position, "it has no effect number " + ordinal);
  }

  /** Reads what comes before the effects. */
  @CanIgnoreReturnValue
  static Commit readHead(ByteBuffer in, long position) {
    Commit commit = readCommit(in, position);
    TransactionMetadataFormat.read(in, position);
    return commit;
  }

  @CanIgnoreReturnValue
  private static Commit readCommit(ByteBuffer in, long position) {
    int version = in.get();
    if (version != VERSION) {
      throw malformed(
          position, "its version is " + version + ", but this program reads version " + VERSION);
    }
    long time = in.getLong();
    int dataCentre = RecordFields.readInt(in);
    VectorClock snapshot = RecordFields.readVector(in, position);
    VectorClock pruneFrontier = RecordFields.readVector(in, position);
    if (time <= 0 || dataCentre >= VectorClock.MAX_DATA_CENTRES) {
      throw malformed(position, "it has commit time " + time + " of data centre " + dataCentre);
    }
    return new Commit(new EffectOrigin(dataCentre, time, pruneFrontier), snapshot, position);
  }

  static FormatException malformed(long position, String what) {
    return new FormatException(
        "transaction record at journal position " + position + " is malformed: " + what);
  }
}
