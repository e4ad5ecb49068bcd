package io.github.stablecut.journal.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a segment, at absolute offsets; numbers are little-endian. Confined to one thread at
 * a time.
 */
public abstract class SegmentBytes {
  /** The number of bytes. */
  public abstract int length();

  /** The byte at an offset. */
  public abstract byte get(int at);

  /** The 32-bit number at an offset. */
  public abstract int getInt(int at);

  /** The 64-bit number at an offset. */
  public abstract long getLong(int at);

  /** Copies bytes from an offset on. */
  public abstract void get(int at, byte[] target, int from, int count);

  /** The CRC-32C of bytes from an offset on. */
  public abstract int crc(int at, int count);

  /** A copy of bytes from an offset on. */
  public final byte[] copy(int at, int count) {
    byte[] copy = new byte[count];
    get(at, copy, 0, count);
    return copy;
  }

  /** The bytes of a buffer, from 0 to its capacity, such as a map of a file. */
  public static SegmentBytes of(ByteBuffer buffer) {
    return new InBuffer(buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN));
  }

  /**
   * Bytes in a buffer. Computes checksums of copies: where a page of a map can't be read, a copy
   * throws an {@link InternalError}, whereas the JVM's code for checksums of a map would end the
   * process.
   */
  private static final class InBuffer extends SegmentBytes {
    private static final int MAX_COPY_BYTES = 64 << 10;

    private final ByteBuffer buffer;

    InBuffer(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public int length() {
      return buffer.capacity();
    }

    @Override
    public byte get(int at) {
      return buffer.get(at);
    }

    @Override
    public int getInt(int at) {
      return buffer.getInt(at);
    }

    @Override
    public long getLong(int at) {
      return buffer.getLong(at);
    }

    @Override
    public void get(int at, byte[] target, int from, int count) {
      buffer.get(at, target, from, count);
    }

    @Override
    public int crc(int at, int count) {
      CRC32C crc = new CRC32C();
      byte[] copy = new byte[Math.min(count, MAX_COPY_BYTES)];
      for (int done = 0; done < count; done += copy.length) {
        int part = Math.min(copy.length, count - done);
        buffer.get(at + done, copy, 0, part);
        crc.update(copy, 0, part);
      }
      return (int) crc.getValue();
    }
  }
}
