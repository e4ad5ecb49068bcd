package io.github.stablecut.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file that no longer changes, little-endian. Thread-safe, without locks.
 *
 * <p>On a disk this is a map, which the kernel fills from the file, in pieces, because the JVM maps
 * no more than 2 GiB at a time. What {@link #get} reads for the first time comes by a system call
 * ({@link FirstTouchReader}). If the disk fails while the map is used, the JVM throws an {@link
 * InternalError}.
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
   * @param firstTouch if null, the pieces are always used
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

  /** The number in the eight bytes from a multiple of eight on. */
  public long getLong(long at) {
    return piece(at).getLong(inPiece(at));
  }

  /**
   * Copies bytes, from anywhere.
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
   * Has bytes read at once that will be wanted one after the other: to be called before the first
   * of them is.
   *
   * @throws CorruptCheckpointException if the disk can't read them
   */
  public void load(long at, int count) {
    if (firstTouch != null) {
      firstTouch.load(at, count);
    }
  }

  /** A copy of some bytes, from anywhere. */
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

  /** Lets go of what the system has open. Whoever still reads may go on, more slowly. */
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
