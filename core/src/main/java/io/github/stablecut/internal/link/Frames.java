package io.github.stablecut.internal.link;

import io.github.stablecut.crdt.Bytes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * Reads and writes the frames of a connection.
 *
 * <pre>
 *   length   4 bytes
 *   crc32c   4 bytes, of the payload
 *   payload
 * </pre>
 */
final class Frames {
  /** The maximum payload, slightly more than the largest transaction. */
  static final int MAX_BYTES = 257 << 20;

  private static final int PIECE_BYTES = 1 << 20;

  private Frames() {}

  static void write(Bytes payload, DataOutputStream out) throws IOException {
    byte[] bytes = payload.toArray();
    out.writeInt(bytes.length);
    out.writeInt(sum(bytes));
    out.write(bytes);
  }

  /**
   * Reads a frame. Allocates memory only for received bytes.
   *
   * @param most the maximum size of its payload
   * @throws IOException if the connection ends, or the frame is too large or damaged
   */
  static Bytes read(DataInputStream in, int most) throws IOException {
    int length = in.readInt();
    int sum = in.readInt();
    if (length < 0 || length > most) {
      throw new IOException(
          "a frame has %,d bytes, and at most %,d are allowed".formatted(length, most));
    }
    byte[] payload = new byte[Math.min(length, PIECE_BYTES)];
    int read = 0;
    while (read < length) {
      if (read == payload.length) {
        payload = java.util.Arrays.copyOf(payload, (int) Math.min(length, 2L * read));
      }
      in.readFully(payload, read, payload.length - read);
      read = payload.length;
    }
    if (sum(payload) != sum) {
      throw new IOException("a frame of %,d bytes was damaged in transit".formatted(length));
    }
    return Bytes.wrap(payload);
  }

  private static int sum(byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    return (int) sum.getValue();
  }
}
