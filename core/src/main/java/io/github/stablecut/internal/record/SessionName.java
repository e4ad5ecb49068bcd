package io.github.stablecut.internal.record;

import java.nio.ByteBuffer;

/**
 * A session, as partitions know it: the name that {@code SessionId} has, without the signature.
 * Immutable.
 *
 * @param openedMillis when it was opened, in milliseconds since 1970
 * @param high 64 random bits
 * @param low 64 more
 * @param client a number for the client that a server has issued the name to; 0 if a store in the
 *     process has opened the session
 */
public record SessionName(long openedMillis, long high, long low, int client) {
  /** The length in bytes. */
  static final int BYTES = 3 * Long.BYTES + Integer.BYTES;

  static SessionName read(ByteBuffer in) {
    return new SessionName(in.getLong(), in.getLong(), in.getLong(), in.getInt());
  }

  void put(ByteBuffer out) {
    out.putLong(openedMillis).putLong(high).putLong(low).putInt(client);
  }

  @Override
  public String toString() {
    return "%016x-%016x%016x".formatted(openedMillis, high, low);
  }
}
