package io.github.stablecut.internal.record;

import java.nio.ByteBuffer;

/**
 * A session's name in partitions: the name of {@code SessionId}, without the signature. Immutable.
 *
 * @param openedMillis when it was opened, in milliseconds since 1970
 * @param high 64 random bits
 * @param low 64 more
 * @param client a number for the client to which a server issued the name; 0 if a store in the
 *     process opened the session
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
