package io.github.stablecut.cluster.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Writes the fields of messages; {@link WireInput} reads them. Confined to one thread. */
public final class WireOutput {
  private static final int FIRST_BYTES = 256;

  private byte[] buffer;
  private int length;

  /** With room for a small message. */
  public WireOutput() {
    this(0);
  }

  /**
   * With room for a large message, so that the buffer need not grow.
   *
   * @param bytes the approximate size of the message
   */
  public WireOutput(long bytes) {
    this.buffer = new byte[(int) Math.min(FIRST_BYTES + bytes, Fragment.MAX_MESSAGE_BYTES)];
  }

  private void require(int more) {
    if (buffer.length - length < more) {
      buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, length + more));
    }
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
    size(bytes.length()).require(bytes.length());
    bytes.copyInto(buffer, length);
    length += bytes.length();
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

  public byte[] toArray() {
    return Arrays.copyOf(buffer, length);
  }

  Bytes toBytes() {
    return Bytes.wrap(toArray());
  }
}
