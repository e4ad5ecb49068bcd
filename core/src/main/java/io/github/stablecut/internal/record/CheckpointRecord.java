package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The record with which the leader of a partition with replicas announces a checkpoint before it
 * makes it; each replica makes the same one. All transactions up to {@code at} are before it in the
 * log, and those after it have begun at or above {@code frontier}. Immutable.
 *
 * <pre>
 *   version              1 byte: 1
 *   at, frontier, low, last    vectors, as in a {@link TransactionRecord}
 *   oldest, ceiling      numbers of 7 bits to a byte
 * </pre>
 *
 * @param at the vector of the checkpoint, K
 * @param frontier the vector at which its states are pruned, F
 * @param low the oldest snapshot that can be read on each replica, C*: the K of an earlier
 *     checkpoint
 * @param last the last transaction of each data centre up to {@code at}
 * @param oldest the number of the leader's oldest record: it needs none before
 * @param ceiling above every timestamp issued until now
 */
public record CheckpointRecord(
    VectorClock at,
    VectorClock frontier,
    VectorClock low,
    VectorClock last,
    long oldest,
    long ceiling) {
  private static final int VERSION = 1;

  /** Encodes the record. */
  public byte[] encode() {
    int bytes =
        1
            + RecordFields.vectorBytes(at)
            + RecordFields.vectorBytes(frontier)
            + RecordFields.vectorBytes(low)
            + RecordFields.vectorBytes(last)
            + RecordFields.numberBytes(oldest)
            + RecordFields.numberBytes(ceiling);
    ByteBuffer out = ByteBuffer.allocate(bytes).put((byte) VERSION);
    RecordFields.putVector(out, at);
    RecordFields.putVector(out, frontier);
    RecordFields.putVector(out, low);
    RecordFields.putVector(out, last);
    RecordFields.putNumber(out, oldest);
    RecordFields.putNumber(out, ceiling);
    return out.array();
  }

  /**
   * This checkpoint, announced after an earlier one. Other replicas may have pruned and dropped
   * what the earlier announcement allowed, so nothing in the result is below it. The transactions
   * after {@code at} come after both vectors, and have begun at or above both frontiers.
   */
  public CheckpointRecord after(CheckpointRecord earlier) {
    return new CheckpointRecord(
        at.join(earlier.at),
        frontier.join(earlier.frontier),
        low.join(earlier.low),
        last.join(earlier.last),
        oldest,
        ceiling);
  }

  /** Decodes the body of a record. */
  public static CheckpointRecord read(byte[] body, long position) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      int version = in.get();
      CheckpointRecord found =
          new CheckpointRecord(
              RecordFields.readVector(in, position),
              RecordFields.readVector(in, position),
              RecordFields.readVector(in, position),
              RecordFields.readVector(in, position),
              RecordFields.readNumber(in),
              RecordFields.readNumber(in));
      if (version == VERSION && !in.hasRemaining()) {
        return found;
      }
    } catch (BufferUnderflowException e) {
      // Reported below.
    }
    throw new FormatException(
        "the checkpoint record at journal position %d is malformed: %d bytes"
            .formatted(position, body.length));
  }
}
