package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * A reusable Kryo buffer. It stores large outputs in pieces, and large {@link Bytes} without a
 * copy, so that they are in memory only once until {@link #toBytes} makes one array. Confined to
 * one thread.
 */
class BytesOutput extends Output {
  private static final int FIRST_BYTES = 256;

  /** A buffer larger than this is not reused. */
  private static final int MAX_KEPT_BYTES = 8 << 10;

  /**
   * A buffer with this many bytes becomes a piece instead of growing; bytes of this length are not
   * copied.
   */
  private static final int PIECE_BYTES = 64 << 10;

  private final List<Bytes> pieces = new ArrayList<>();
  private long bytesInPieces;
  private long maxBytes;

  BytesOutput() {
    this(Limits.MAX_BYTES);
  }

  /**
   * @param maxBytes the maximum number of bytes, at most {@link Limits#MAX_BYTES}; more cause a
   *     {@link KryoException}
   */
  BytesOutput(long maxBytes) {
    super(FIRST_BYTES, Limits.MAX_BYTES);
    this.maxBytes = maxBytes;
  }

  void writeBytes(Bytes bytes) {
    if (bytes.length() >= PIECE_BYTES) {
      startPiece();
      add(bytes);
      return;
    }
    require(bytes.length());
    bytes.copyInto(buffer, position);
    position += bytes.length();
  }

  @CanIgnoreReturnValue
  @Override
  protected boolean require(int required) {
    if (capacity - position < required && position >= PIECE_BYTES && outputStream == null) {
      startPiece();
    }
    return super.require(required);
  }

  private void startPiece() {
    if (position > 0) {
      add(Bytes.wrap(super.toBytes()));
      position = 0;
    }
  }

  private void add(Bytes piece) {
    bytesInPieces += piece.length();
    pieces.add(piece);
    checkSize();
  }

  private void checkSize() {
    if (bytesInPieces + position > maxBytes) {
      throw new KryoException("more than %,d bytes".formatted(maxBytes));
    }
  }

  @Override
  public byte[] toBytes() {
    checkSize();
    if (pieces.isEmpty()) {
      return super.toBytes();
    }
    byte[] whole = new byte[(int) bytesInPieces + position];
    int from = 0;
    for (Bytes piece : pieces) {
      piece.copyInto(whole, from);
      from += piece.length();
    }
    System.arraycopy(buffer, 0, whole, from, position);
    return whole;
  }

  /** The output in order; large bytes are not copied. */
  List<Bytes> toPieces() {
    checkSize();
    startPiece();
    return List.copyOf(pieces);
  }

  /**
   * Clears the buffer.
   *
   * @param newMaxBytes the new maximum number of bytes
   */
  void reset(long newMaxBytes) {
    reset();
    maxBytes = newMaxBytes;
  }

  @Override
  public void reset() {
    super.reset();
    if (!pieces.isEmpty()) {
      pieces.clear();
      bytesInPieces = 0;
    }
  }

  /** Whether the buffer is small and has no pieces. */
  boolean isReusable() {
    return buffer.length <= MAX_KEPT_BYTES && pieces.isEmpty();
  }
}
