package io.github.stablecut.internal.record;

import java.nio.ByteBuffer;

/**
 * The first 16 bytes of a SHA-256, to distinguish different updates sent under the same request
 * number. Immutable.
 */
public record Digest(long high, long low) {
  /** The length in bytes. */
  static final int BYTES = 2 * Long.BYTES;

  /** Takes the first bytes of a SHA-256. */
  public static Digest of(byte[] sha256) {
    return read(ByteBuffer.wrap(sha256));
  }

  static Digest read(ByteBuffer in) {
    return new Digest(in.getLong(), in.getLong());
  }

  void put(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }
}
