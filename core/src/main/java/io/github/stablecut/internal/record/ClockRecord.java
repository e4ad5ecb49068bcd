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
 * <p>The last of an opening says that nothing above it was told, so it takes the place of all
 * before it. It is written where a partition goes to another node, or its node is restarted:
 * otherwise each time the clock would begin some seconds ahead, and soon too far for the other
 * nodes.
 */
public final class ClockRecord {
  private static final int VERSION = 1;
  private static final int LAST = 2;
  private static final int BYTES = 1 + Long.BYTES;

  private ClockRecord() {}

  /** The bytes of a ceiling. */
  public static byte[] encode(long ceiling) {
    return encode(VERSION, ceiling);
  }

  /** The bytes of the last ceiling of an opening. */
  public static byte[] encodeLast(long ceiling) {
    return encode(LAST, ceiling);
  }

  private static byte[] encode(int version, long ceiling) {
    return ByteBuffer.allocate(BYTES).put((byte) version).putLong(ceiling).array();
  }

  /** Whether a record takes the place of those before it. */
  public static boolean isLast(byte[] body) {
    return body[0] == LAST;
  }

  /** The ceiling of a record whose body is at hand. */
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
