package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The record of how far the streams of other data centres have come to a partition: up to the times
 * of its vector all their transactions are in the journal or in checkpoints. Without it the
 * partition would only know of the transactions that it has, and not of the time without any.
 *
 * <pre>
 *   version    1 byte: 1
 *   vector     as in a {@link TransactionRecord}; the entry of the own data centre is 0
 * </pre>
 */
public final class ReachedRecord {
  private static final int VERSION = 1;

  private ReachedRecord() {}

  /** The bytes of a vector. */
  public static byte[] encode(VectorClock reached) {
    ByteBuffer out = ByteBuffer.allocate(1 + Fields.vectorBytes(reached));
    Fields.putVector(out.put((byte) VERSION), reached);
    return out.array();
  }

  /** The vector of a record whose body is at hand. */
  public static VectorClock read(byte[] body, long position) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      int version = in.get();
      VectorClock reached = Fields.readVector(in, position);
      if (version == VERSION && !in.hasRemaining()) {
        return reached;
      }
    } catch (BufferUnderflowException e) {
      // Told below.
    }
    throw new FormatException(
        "the record at journal position %d of how far other data centres have come is malformed: %d bytes"
            .formatted(position, body.length));
  }
}
