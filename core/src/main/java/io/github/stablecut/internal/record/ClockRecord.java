package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;

/**
 * The record of a clock's ceiling: after a restart the clock begins at or above it.
 *
 * <pre>
 *   version    1 byte, now 1
 *   ceiling    8 bytes, big-endian
 * </pre>
 */
public final class ClockRecord {
  private static final int VERSION = 1;
  private static final int BYTES = 1 + Long.BYTES;

  private ClockRecord() {}

  /** The bytes of a ceiling. */
  public static byte[] encode(long ceiling) {
    return ByteBuffer.allocate(BYTES).put((byte) VERSION).putLong(ceiling).array();
  }

  /** The ceiling of a record whose body is at hand. */
  public static long read(ByteBuffer body, long position) {
    if (body.remaining() != BYTES || body.get(body.position()) != VERSION) {
      throw new FormatException(
          "clock record at journal position "
              + position
              + " is malformed: "
              + body.remaining()
              + " bytes");
    }
    return body.getLong(body.position() + 1);
  }
}
