package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;

/**
 * The record that a distributed transaction has ended here. In the coordinator's journal: all
 * participants have the decision in their journals, so none will query it. In a participant's
 * journal: the prepared transaction is aborted.
 *
 * <pre>
 *   version       1 byte, now 1
 *   coordinator   4 bytes, big-endian
 *   epoch         8 bytes
 *   sequence      8 bytes
 * </pre>
 */
public final class EndRecord {
  private static final int VERSION = 1;
  private static final int BYTES = 1 + Integer.BYTES + 2 * Long.BYTES;

  private EndRecord() {}

  /** Encodes the record. */
  public static byte[] encode(TransactionId id) {
    return ByteBuffer.allocate(BYTES)
        .put((byte) VERSION)
        .putInt(id.coordinator())
        .putLong(id.epoch())
        .putLong(id.sequence())
        .array();
  }

  /** Decodes the transaction in the body of a record. */
  public static TransactionId read(byte[] body, long position) {
    if (body.length != BYTES || body[0] != VERSION) {
      throw new FormatException(
          "end record at journal position %d is malformed: %d bytes"
              .formatted(position, body.length));
    }
    ByteBuffer in = ByteBuffer.wrap(body, 1, BYTES - 1);
    return new TransactionId(in.getInt(), in.getLong(), in.getLong());
  }
}
