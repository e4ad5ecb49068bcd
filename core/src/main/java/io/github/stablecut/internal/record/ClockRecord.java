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
  public static long read(byte[] body, long position) {
    if (body.length != BYTES || body[0] != VERSION) {
      throw new FormatException(
          "clock record at journal position "
              + position
              + " is malformed: "
              + body.length
              + " bytes");
    }
    return ByteBuffer.wrap(body).getLong(1);
  }
}
