package io.github.stablecut.checkpoint;

import io.github.stablecut.error.IoReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Reads each page of a mapped file with a system call when it is wanted for the first time.
 * Thread-safe, without locks of our own.
 *
 * <p>When a page that is not in memory is touched through a map, the kernel reads far around it, as
 * it must think that the rest is wanted too: by default 128 KiB, on some machines 8 MiB, which
 * takes milliseconds. A system call reads what is asked for. Afterwards the page is in memory, and
 * the map is faster.
 */
public final class FirstTouchReader implements AutoCloseable {
  private static final int PAGE_SHIFT = 12;

  /** Where the bytes are read from. */
  public interface Source extends AutoCloseable {
    /**
     * Reads some bytes from a place on into a buffer.
     *
     * @return how many; below 0 behind the end
     */
    int read(ByteBuffer target, long at) throws IOException;

    /** Whether what was read is in memory from then on, and need not be read again. */
    default boolean keepsWhatWasRead() {
      return true;
    }

    @Override
    void close() throws IOException;
  }

  private final String path;
  private final Source source;

  /** One bit for each page that was read. */
  private final AtomicIntegerArray touched;

  /**
   * @param path for messages
   * @param source closed with this
   * @param length of the file, in bytes
   */
  public FirstTouchReader(String path, Source source, long length) {
    this.path = path;
    this.source = source;
    this.touched = new AtomicIntegerArray((int) ((length >>> PAGE_SHIFT) / Integer.SIZE) + 1);
  }

  /**
   * Copies bytes, at least one, if a page of theirs was never touched.
   *
   * @return false if all were, or if the source is closed, which an interrupt does too: use the map
   */
  boolean read(long at, byte[] target, int from, int count) {
    if (isTouched(at, count)) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(target, from, count);
    try {
      while (buffer.hasRemaining()) {
        if (source.read(buffer, at + buffer.position() - from) < 0) {
          throw new IOException("the file has become shorter");
        }
      }
    } catch (ClosedChannelException e) {
      return false;
    } catch (IOException e) {
      throw new CorruptCheckpointException(
          "%s can't be read at offset %d: %s".formatted(path, at, IoReason.of(e)));
    }
    if (source.keepsWhatWasRead()) {
      touch(at, count);
    }
    return true;
  }

  /** Reads bytes at once that will be wanted one after the other, if the first never was. */
  void load(long at, int count) {
    if (!isTouched(at, 1)) {
      boolean unused = read(at, new byte[count], 0, count);
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
