package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The record of what a partition knows of other data centres and has promised them, beyond what
 * other records say. It states how far their streams have come, including time without
 * transactions, and how far others may prune. Immutable.
 *
 * <pre>
 *   version             1 byte: 2
 *   reached, promised   vectors, as in a {@link TransactionRecord}
 * </pre>
 *
 * @param reached up to these times all transactions of other data centres are in the journal or in
 *     checkpoints; the entry of the own data centre is 0
 * @param promised other data centres were promised, or are about to be, that every later
 *     transaction of this one has a snapshot at or above it; zero if nothing was promised
 */
public record ReachedRecord(VectorClock reached, VectorClock promised) {
  private static final int VERSION = 2;

  /** Encodes the record. */
  public byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(
            1 + RecordFields.vectorBytes(reached) + RecordFields.vectorBytes(promised));
    RecordFields.putVector(out.put((byte) VERSION), reached);
    RecordFields.putVector(out, promised);
    return out.array();
  }

  /** Decodes the body of a record. */
  public static ReachedRecord read(byte[] body, long position) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      int version = in.get();
      ReachedRecord read =
          new ReachedRecord(
              RecordFields.readVector(in, position), RecordFields.readVector(in, position));
      if (version == VERSION && !in.hasRemaining()) {
        return read;
      }
    } catch (BufferUnderflowException e) {
      // Reported below.
    }
    throw new FormatException(
        "the record at journal position %d of other data centres' progress is malformed: %d bytes"
            .formatted(position, body.length));
  }
}
