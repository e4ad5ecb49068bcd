package io.github.stablecut.journal;

import java.nio.ByteBuffer;

/**
 * A record as it is read back.
 *
 * @param position where it is ({@link Position})
 * @param sequence the sequence of its first frame
 * @param kind what the caller said that it is
 * @param body read-only, from position 0 to its limit; stays readable after its segment is dropped
 */
public record StoredRecord(long position, long sequence, byte kind, ByteBuffer body) {
  /** A copy of the body. */
  public byte[] toArray() {
    byte[] copy = new byte[body.limit()];
    body.get(0, copy);
    return copy;
  }
}
