package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * A Kryo buffer that can be used again. Much is kept in pieces, large {@link Bytes} as they are, so
 * that it is in memory no more than once before {@link #toBytes} makes one array of it. Confined to
 * one thread.
 */
class BytesOutput extends Output {
  private static final int FIRST_BYTES = 256;

  /** A buffer that grew larger is not kept. */
  private static final int MAX_KEPT_BYTES = 8 << 10;

  /**
   * A buffer that is so full is set aside instead of growing, and so large bytes are not copied.
   */
  private static final int PIECE_BYTES = 64 << 10;

  private final List<Bytes> pieces = new ArrayList<>();
  private long bytesInPieces;
  private long most;

  BytesOutput() {
    this(Limits.MAX_BYTES);
  }

  /**
   * @param most how many bytes it takes before it throws a {@link KryoException}, at most {@link
   *     Limits#MAX_BYTES}
   */
  BytesOutput(long most) {
    super(FIRST_BYTES, Limits.MAX_BYTES);
    this.most = most;
  }

  void writeBytes(Bytes bytes) {
    if (bytes.length() >= PIECE_BYTES) {
      setAside();
      add(bytes);
      return;
    }
    boolean unused = require(bytes.length());
    bytes.copyInto(buffer, position);
    position += bytes.length();
  }

  @Override
  protected boolean require(int required) {
    if (capacity - position < required && position >= PIECE_BYTES && outputStream == null) {
      setAside();
    }
    return super.require(required);
  }

  private void setAside() {
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
    if (bytesInPieces + position > most) {
      throw new KryoException("more than %,d bytes".formatted(most));
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

  /** What was written, in order; large bytes are not copied. */
  List<Bytes> toPieces() {
    checkSize();
    setAside();
    return List.copyOf(pieces);
  }

  /**
   * Begins again.
   *
   * @param newMost how many bytes it takes from now on
   */
  void reset(long newMost) {
    reset();
    most = newMost;
  }

  @Override
  public void reset() {
    super.reset();
    if (!pieces.isEmpty()) {
      pieces.clear();
      bytesInPieces = 0;
    }
  }

  /** Whether it is small, and holds nothing. */
  boolean isWorthKeeping() {
    return buffer.length <= MAX_KEPT_BYTES && pieces.isEmpty();
  }
}
