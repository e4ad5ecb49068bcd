package io.github.stablecut.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an immutable file, little-endian. Thread-safe, without locks.
 *
 * <p>On a disk this is a memory map of the file, in pieces, because the JVM maps at most 2 GiB at a
 * time. {@link #get} reads bytes with a system call the first time ({@link FirstTouchReader}). If
 * the disk fails while the map is used, the JVM throws an {@link InternalError}.
 */
public final class FileView implements AutoCloseable {
  private final ByteBuffer[] pieces;
  private final int shift;
  private final long length;
  private final @Nullable FirstTouchReader firstTouch;

  /**
   * For implementations of {@link Directory}.
   *
   * @param pieces of {@code 1 << shift} bytes each, the last one shorter
   * @param firstTouch reads bytes the first time; if null, the pieces are always used
   */
  public FileView(
      ByteBuffer[] pieces, int shift, long length, @Nullable FirstTouchReader firstTouch) {
    this.pieces = pieces;
    this.shift = shift;
    this.length = length;
    this.firstTouch = firstTouch;
    for (ByteBuffer piece : pieces) {
      piece.order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /** The number of bytes. */
  public long length() {
    return length;
  }

  /** The 64-bit number at an offset, which is a multiple of eight. */
  public long getLong(long at) {
    return piece(at).getLong(inPiece(at));
  }

  /**
   * Copies bytes from any offset.
   *
   * @throws CorruptCheckpointException if the disk can't read them
   */
  public void get(long at, byte[] target, int from, int count) {
    if (firstTouch != null && count > 0 && firstTouch.read(at, target, from, count)) {
      return;
    }
    int copied = 0;
    while (copied < count) {
      ByteBuffer piece = piece(at + copied);
      int start = inPiece(at + copied);
      int part = Math.min(count - copied, piece.capacity() - start);
      piece.get(start, target, from + copied, part);
      copied += part;
    }
  }

  /**
   * Reads ahead bytes that the caller is about to read in order. Called before the first of them is
   * read.
   *
   * @throws CorruptCheckpointException if the disk can't read them
   */
  public void load(long at, int count) {
    if (firstTouch != null) {
      firstTouch.load(at, count);
    }
  }

  /** A copy of some bytes from any offset. */
  public byte[] get(long at, int count) {
    byte[] copy = new byte[count];
    get(at, copy, 0, count);
    return copy;
  }

  private ByteBuffer piece(long at) {
    return pieces[(int) (at >>> shift)];
  }

  private int inPiece(long at) {
    return (int) (at & (1L << shift) - 1);
  }

  /** Closes the file. The view stays readable through the map, more slowly. */
  @Override
  public void close() {
    try {
      if (firstTouch != null) {
        firstTouch.close();
      }
    } catch (IOException e) {
      // Nothing was written through it.
    }
  }
}
