package io.github.stablecut.cluster.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the fields of messages; {@link WireInput} reads them. A large message is copied once, when
 * it is complete: until then it is a list of pieces. Confined to one thread.
 */
public final class WireOutput {
  /** The largest message. */
  public static final int MAX_BYTES = 512 << 20;

  private static final int FIRST_BYTES = 256;

  /** The size of the pieces of a large message. */
  private static final int PIECE_BYTES = 64 << 10;

  /** The full pieces that precede the buffer. */
  private final List<ByteBuffer> pieces = new ArrayList<>(0);

  private byte[] buffer = new byte[FIRST_BYTES];
  private int length;

  private void require(int more) {
    if (buffer.length - length < more) {
      int next = Math.max(more, Math.min(PIECE_BYTES, 2 * buffer.length));
      add(buffer, length);
      buffer = new byte[next];
      length = 0;
    }
  }

  private void add(byte[] array, int bytes) {
    pieces.add(ByteBuffer.wrap(array, 0, bytes));
  }

  @CanIgnoreReturnValue
  public WireOutput kind(int kind) {
    require(1);
    buffer[length++] = (byte) kind;
    return this;
  }

  @CanIgnoreReturnValue
  public WireOutput number(long number) {
    require(Long.BYTES);
    ByteBuffer.wrap(buffer).putLong(length, number);
    length += Long.BYTES;
    return this;
  }

  @CanIgnoreReturnValue
  public WireOutput size(int size) {
    require(Integer.BYTES);
    ByteBuffer.wrap(buffer).putInt(length, size);
    length += Integer.BYTES;
    return this;
  }

  @CanIgnoreReturnValue
  public WireOutput bytes(Bytes bytes) {
    size(bytes.length());
    if (bytes.length() < PIECE_BYTES) {
      require(bytes.length());
      bytes.copyInto(buffer, length);
      length += bytes.length();
    } else {
      require(buffer.length);
      add(bytes.unwrap(), bytes.length());
    }
    return this;
  }

  @CanIgnoreReturnValue
  public WireOutput text(String text) {
    return bytes(Bytes.wrap(text.getBytes(UTF_8)));
  }

  @CanIgnoreReturnValue
  WireOutput vector(VectorClock vector) {
    size(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      number(vector.get(i));
    }
    return this;
  }

  /**
   * Returns everything that was written.
   *
   * @throws BadMessageException if it is too large for a message
   */
  public byte[] toArray() {
    long all = pieces.stream().mapToLong(ByteBuffer::remaining).sum() + length;
    if (all > MAX_BYTES) {
      throw new BadMessageException(
          "%,d bytes, at most %,d go between nodes".formatted(all, MAX_BYTES));
    }
    ByteBuffer joined = ByteBuffer.allocate((int) all);
    for (ByteBuffer piece : pieces) {
      joined.put(piece.duplicate());
    }
    return joined.put(buffer, 0, length).array();
  }

  Bytes toBytes() {
    return Bytes.wrap(toArray());
  }
}
