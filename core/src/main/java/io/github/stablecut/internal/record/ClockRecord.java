package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;

/**
 * The record of a clock's ceiling: after a restart the clock begins at or above it.
 *
 * <pre>
 *   version    1 byte: 1, or 2 for the last of an opening
 *   ceiling    8 bytes, big-endian
 * </pre>
 *
 * <p>The last record of an opening states that no time above it was issued, so it replaces all
 * earlier ones. It is written when a partition moves to another node or its node restarts. Without
 * it, each such event would move the clock seconds ahead, and soon too far for the other nodes.
 */
public final class ClockRecord {
  private static final int VERSION = 1;
  private static final int LAST = 2;
  private static final int BYTES = 1 + Long.BYTES;

  private ClockRecord() {}

  /** Encodes a ceiling. */
  public static byte[] encode(long ceiling) {
    return encode(VERSION, ceiling);
  }

  /** Encodes the last ceiling of an opening. */
  public static byte[] encodeLast(long ceiling) {
    return encode(LAST, ceiling);
  }

  private static byte[] encode(int version, long ceiling) {
    return ByteBuffer.allocate(BYTES).put((byte) version).putLong(ceiling).array();
  }

  /** Whether a record replaces those before it. */
  public static boolean isLast(byte[] body) {
    return body[0] == LAST;
  }

  /** Decodes the ceiling in the body of a record. */
  public static long read(byte[] body, long position) {
    if (body.length != BYTES || (body[0] != VERSION && body[0] != LAST)) {
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
