package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.IoReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Reads each page of a mapped file with a system call when it is first used. Thread-safe; takes no
 * locks itself.
 *
 * <p>On a page fault in a map, the kernel reads far around the page, because it expects sequential
 * use: by default 128 KiB, on some machines 8 MiB, which takes milliseconds. A system call reads
 * only the requested bytes. Afterwards the page is in memory, and the map is faster.
 */
public final class FirstTouchReader implements AutoCloseable {
  private static final int PAGE_SHIFT = 12;

  /** The source of the bytes. */
  public interface Source extends AutoCloseable {
    /**
     * Reads bytes from an offset on into a buffer.
     *
     * @return the number of bytes; negative at the end
     */
    int read(ByteBuffer target, long at) throws IOException;

    /** Whether bytes stay in memory once read, and need not be read again. */
    default boolean staysInMemory() {
      return true;
    }

    @Override
    void close() throws IOException;
  }

  private final String path;
  private final Source source;

  /** One bit per page that was read. */
  private final AtomicIntegerArray touched;

  /**
   * @param path the path for messages
   * @param source closed with this
   * @param length the length of the file in bytes
   */
  public FirstTouchReader(String path, Source source, long length) {
    this.path = path;
    this.source = source;
    this.touched = new AtomicIntegerArray((int) ((length >>> PAGE_SHIFT) / Integer.SIZE) + 1);
  }

  /**
   * Copies bytes, at least one, unless all their pages were read before.
   *
   * @return false if all pages were read before, or if the source is closed, also by an interrupt:
   *     use the map
   */
  @CanIgnoreReturnValue
  boolean read(long at, byte[] target, int from, int count) {
    if (isTouched(at, count)) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(target, from, count);
    try {
      while (buffer.hasRemaining()) {
        if (source.read(buffer, at + buffer.position() - from) < 0) {
          throw new IOException("the file was truncated");
        }
      }
    } catch (ClosedChannelException e) {
      return false;
    } catch (IOException e) {
      throw new CorruptCheckpointException(
          "%s can't be read at offset %d: %s".formatted(path, at, IoReason.of(e)));
    }
    if (source.staysInMemory()) {
      touch(at, count);
    }
    return true;
  }

  /** Reads ahead bytes in one call, unless the first page was read before. */
  void load(long at, int count) {
    if (!isTouched(at, 1)) {
      read(at, new byte[count], 0, count);
    }
  }

  /** Whether all pages of some bytes were read before. */
  boolean isTouched(long at, int count) {
    for (long page = at >>> PAGE_SHIFT; page <= (at + count - 1) >>> PAGE_SHIFT; page++) {
      if ((touched.getOpaque((int) (page / Integer.SIZE)) & 1 << page) == 0) {
        return false;
      }
    }
    return true;
  }

  private void touch(long at, int count) {
    for (long page = at >>> PAGE_SHIFT; page <= (at + count - 1) >>> PAGE_SHIFT; page++) {
      int bit = 1 << page;
      int word = (int) (page / Integer.SIZE);
      touched.accumulateAndGet(word, bit, (known, added) -> known | added);
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
