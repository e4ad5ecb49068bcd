package io.github.stablecut.journal.internal;

import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentView;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A segment file that is read with system calls, for readers of the whole file: where the disk
 * can't read a page, they get an {@link UncheckedIOException}. Confined to one thread.
 */
final class ReadSegment implements SegmentView {
  private final FileChannel channel;
  private final Window window;

  private ReadSegment(FileChannel channel, Window window) {
    this.channel = channel;
    this.window = window;
  }

  static ReadSegment open(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      return new ReadSegment(channel, new Window(channel, Math.toIntExact(channel.size())));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public SegmentBytes bytes() {
    return window;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing was written through it.
    }
  }

  /** A part of the file in memory, which moves with the reader and grows while it reads on. */
  private static final class Window extends SegmentBytes {
    private static final int FIRST_BYTES = 16 << 10;
    private static final int MAX_BYTES = 256 << 10;
    private static final int BEHIND_BYTES = 64;

    private final FileChannel channel;
    private final int length;
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private int start;

    Window(FileChannel channel, int length) {
      this.channel = channel;
      this.length = length;
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public byte get(int at) {
      int index = indexOf(at, Byte.BYTES);
      return bytes.get(index);
    }

    @Override
    public int getInt(int at) {
      int index = indexOf(at, Integer.BYTES);
      return bytes.getInt(index);
    }

    @Override
    public long getLong(int at) {
      int index = indexOf(at, Long.BYTES);
      return bytes.getLong(index);
    }

    @Override
    public void get(int at, byte[] target, int from, int count) {
      for (int done = 0; done < count; ) {
        int index = indexOf(at + done, 1);
        int part = Math.min(count - done, bytes.limit() - index);
        bytes.get(index, target, from + done, part);
        done += part;
      }
    }

    @Override
    public int crc(int at, int count) {
      CRC32C crc = new CRC32C();
      for (int done = 0; done < count; ) {
        int index = indexOf(at + done, 1);
        int part = Math.min(count - done, bytes.limit() - index);
        crc.update(bytes.array(), index, part);
        done += part;
      }
      return (int) crc.getValue();
    }

    /** The index in the window of bytes of the file; moves the window to them first. */
    private int indexOf(int at, int count) {
      if (at < start || at + count > start + bytes.limit()) {
        if (at < 0 || at + count > length) {
          throw new IndexOutOfBoundsException(at);
        }
        move(at);
      }
      return at - start;
    }

    /**
     * Moves the window so that it begins shortly before an offset after it, or has one before it in
     * its middle. A reader of frames returns to the head of each.
     */
    private void move(int at) {
      int size = Math.max(FIRST_BYTES, Math.min(2 * bytes.capacity(), MAX_BYTES));
      int from = Math.max(0, at - (at >= start ? BEHIND_BYTES : size / 2));
      if (bytes.capacity() < size) {
        bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
      }
      bytes.clear().limit(Math.min(size, length - from));
      try {
        while (bytes.hasRemaining()) {
          if (channel.read(bytes, (long) from + bytes.position()) < 0) {
            throw new EOFException("the file became shorter while it was read");
          }
        }
      } catch (IOException e) {
        bytes.limit(0);
        throw new UncheckedIOException(e);
      }
      bytes.flip();
      start = from;
    }
  }
}
