package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The record of one committed transaction: all its effects on this partition, so that it is there
 * wholly or not at all.
 *
 * <pre>
 *   version          1 byte, now 1
 *   commit time      8 bytes, big-endian; written last, under the commit lock
 *   data centre      number
 *   snapshot         vector: what the transaction had read at
 *   prune frontier   vector: at which the states had been pruned that its effects were made from
 *   effects          number of effects, then for each
 *     object id      number of bytes, bytes
 *     effect         number of bytes, bytes ({@link io.github.stablecut.crdt.codec.CrdtCodec})
 *
 *   number           1 to 9 bytes, 7 bits each, low bits first, the eighth set while more follow
 *   vector           number of entries, then each as a number
 * </pre>
 *
 * <p>The journal checks sums and lengths before these bytes are read; what is malformed all the
 * same was written so, and is answered with a {@link FormatException}.
 */
public final class TransactionRecord {
  private static final int VERSION = 1;
  private static final int TIME_OFFSET = 1;
  private static final int HEADER_BYTES = TIME_OFFSET + Long.BYTES;

  private TransactionRecord() {}

  /** What is done to one object: the encoded effects in the order of execution. */
  public record Entry(Bytes id, List<byte[]> effects) {}

  /** Is shown the effects of a record. */
  @FunctionalInterface
  public interface EffectVisitor {
    /**
     * Is shown one effect.
     *
     * @param ordinal 0 for the first effect of the record
     * @param effect the effect's bytes, from its position to its limit
     */
    void visit(Commit commit, int ordinal, Bytes id, ByteBuffer effect);
  }

  /**
   * The bytes of a transaction that has no commit time yet: {@link #setCommitTime} puts it in.
   *
   * @param pruneFrontier at which the states were pruned that its effects were made from
   */
  public static byte[] encode(
      int dataCentre, VectorClock snapshot, VectorClock pruneFrontier, List<Entry> entries) {
    int size =
        HEADER_BYTES + numberBytes(dataCentre) + vectorBytes(snapshot) + vectorBytes(pruneFrontier);
    size += numberBytes(entries.size());
    for (Entry entry : entries) {
      size += numberBytes(entry.id.length()) + entry.id.length();
      size += numberBytes(entry.effects.size());
      for (byte[] effect : entry.effects) {
        size += numberBytes(effect.length) + effect.length;
      }
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put((byte) VERSION).putLong(0);
    putNumber(out, dataCentre);
    putVector(out, snapshot);
    putVector(out, pruneFrontier);
    putNumber(out, entries.size());
    for (Entry entry : entries) {
      putNumber(out, entry.id.length());
      entry.id.copyInto(out.array(), out.position());
      out.position(out.position() + entry.id.length());
      putNumber(out, entry.effects.size());
      for (byte[] effect : entry.effects) {
        putNumber(out, effect.length);
        out.put(effect);
      }
    }
    return out.array();
  }

  /** Puts the commit time into the bytes of a transaction. */
  public static void setCommitTime(byte[] encoded, long commitTime) {
    ByteBuffer.wrap(encoded).putLong(TIME_OFFSET, commitTime);
  }

  /**
   * Reads a record.
   *
   * @param body the record's body
   * @param position where the record is in the journal
   * @return its commit
   */
  public static Commit read(byte[] body, long position, EffectVisitor visitor) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      Commit commit = readCommit(in, position);
      int objects = readSize(in);
      int ordinal = 0;
      for (int object = 0; object < objects; object++) {
        Bytes id = Bytes.wrap(readBytes(in));
        int effects = readSize(in);
        for (int i = 0; i < effects; i++) {
          visitor.visit(commit, ordinal++, id, readSlice(in));
        }
      }
      return commit;
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  /** The bytes of one effect of a record. */
  public static byte[] readEffect(byte[] body, long position, int ordinal) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      Commit unused = readCommit(in, position);
      int objects = readSize(in);
      int before = ordinal;
      for (int object = 0; object < objects; object++) {
        skip(in);
        int effects = readSize(in);
        for (int i = 0; i < effects; i++) {
          if (before-- == 0) {
            return readBytes(in);
          }
          skip(in);
        }
      }
      throw malformed(position, "it has no effect number " + ordinal);
    } catch (BufferUnderflowException e) {
      throw malformed(position, "the body ends too early");
    }
  }

  private static Commit readCommit(ByteBuffer in, long position) {
    int version = in.get();
    if (version != VERSION) {
      throw malformed(position, "version is " + version + ", this program reads " + VERSION);
    }
    long time = in.getLong();
    int dataCentre = readInt(in);
    VectorClock snapshot = readVector(in, position);
    VectorClock pruneFrontier = readVector(in, position);
    if (time <= 0 || dataCentre >= VectorClock.MAX_DATA_CENTRES) {
      throw malformed(position, "commit time " + time + " of data centre " + dataCentre);
    }
    return new Commit(new EffectOrigin(dataCentre, time, pruneFrontier), snapshot, position);
  }

  private static VectorClock readVector(ByteBuffer in, long position) {
    int size = readSize(in);
    if (size > VectorClock.MAX_DATA_CENTRES) {
      throw malformed(position, "a vector of " + size + " entries");
    }
    if (size <= 1) {
      return size == 0 ? VectorClock.ZERO : VectorClock.of(readNumber(in));
    }
    long[] entries = new long[size];
    for (int i = 0; i < size; i++) {
      entries[i] = readNumber(in);
    }
    return VectorClock.ofEntries(entries);
  }

  private static byte[] readBytes(ByteBuffer in) {
    byte[] bytes = new byte[readSize(in)];
    in.get(bytes);
    return bytes;
  }

  private static ByteBuffer readSlice(ByteBuffer in) {
    int size = readSize(in);
    ByteBuffer slice = in.slice(in.position(), size);
    in.position(in.position() + size);
    return slice;
  }

  private static void skip(ByteBuffer in) {
    int size = readSize(in);
    in.position(in.position() + size);
  }

  /** A number of things that take a byte each at least, so no more than are left. */
  private static int readSize(ByteBuffer in) {
    long size = readNumber(in);
    if (size > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return (int) size;
  }

  private static int readInt(ByteBuffer in) {
    return (int) Math.min(readNumber(in), Integer.MAX_VALUE);
  }

  private static long readNumber(ByteBuffer in) {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
      byte next = in.get();
      number |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new BufferUnderflowException();
  }

  private static void putVector(ByteBuffer out, VectorClock vector) {
    putNumber(out, vector.size());
    for (int i = 0; i < vector.size(); i++) {
      putNumber(out, vector.get(i));
    }
  }

  private static void putNumber(ByteBuffer out, long number) {
    long rest = number;
    while (rest > 0x7f) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private static int vectorBytes(VectorClock vector) {
    int bytes = numberBytes(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      bytes += numberBytes(vector.get(i));
    }
    return bytes;
  }

  private static int numberBytes(long number) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 6) / 7);
  }

  private static FormatException malformed(long position, String what) {
    return new FormatException(
        "transaction record at journal position " + position + " is malformed: " + what);
  }
}
