package io.github.stablecut.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a file that no longer changes, little-endian, in pieces of the same power of two
 * because the JVM maps no more than 2 GiB at a time. Immutable, thread-safe, without locks.
 *
 * <p>On a disk this is memory that the kernel fills from the file when it is touched. If the disk
 * fails then, the JVM throws an {@link InternalError}.
 */
public final class FileView {
  private final ByteBuffer[] pieces;
  private final int shift;
  private final long length;

  /**
   * @param pieces of {@code 1 << shift} bytes each, the last one shorter
   */
  FileView(ByteBuffer[] pieces, int shift, long length) {
    this.pieces = pieces;
    this.shift = shift;
    this.length = length;
    for (ByteBuffer piece : pieces) {
      piece.order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /** The number of bytes. */
  public long length() {
    return length;
  }

  /** The number in the four bytes from a multiple of four on. */
  public int getInt(long at) {
    return piece(at).getInt(inPiece(at));
  }

  /** The number in the eight bytes from a multiple of eight on. */
  public long getLong(long at) {
    return piece(at).getLong(inPiece(at));
  }

  /** Copies bytes, from anywhere. */
  public void get(long at, byte[] target, int from, int count) {
    int copied = 0;
    while (copied < count) {
      ByteBuffer piece = piece(at + copied);
      int start = inPiece(at + copied);
      int part = Math.min(count - copied, piece.capacity() - start);
      piece.get(start, target, from + copied, part);
      copied += part;
    }
  }

  /** The CRC32C of some bytes, from anywhere. */
  public int crc32c(long at, int count) {
    CRC32C crc = new CRC32C();
    int done = 0;
    while (done < count) {
      ByteBuffer piece = piece(at + done);
      int start = inPiece(at + done);
      int part = Math.min(count - done, piece.capacity() - start);
      crc.update(piece.slice(start, part));
      done += part;
    }
    return (int) crc.getValue();
  }

  private ByteBuffer piece(long at) {
    return pieces[(int) (at >>> shift)];
  }

  private int inPiece(long at) {
    return (int) (at & (1L << shift) - 1);
  }
}
