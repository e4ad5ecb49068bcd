package io.github.stablecut.cluster.internal.antidote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Deque;
import java.util.function.Function;

/**
 * Reads protobuf's wire format from the chunks of a frame and releases each chunk once it is read,
 * so that a large frame is never in memory twice. A length causes no allocation before that many
 * bytes are known to exist. Confined to one thread.
 *
 * <p>A message is read field by field: {@link #hasNext}, {@link #next}, and then the accessor of
 * the field's kind or {@link #skip}.
 *
 * <p>All methods throw {@link ProtocolException} if the bytes are no message.
 */
public final class WireReader {
  /**
   * The maximum nesting depth of messages. It exceeds that of objects ({@link Encoder#MAX_DEPTH}),
   * each of which takes three messages.
   */
  static final int MAX_DEPTH = 256;

  /** The maximum number of strings and messages in a frame. */
  static final int MAX_ITEMS = HeapShare.MESSAGE_PARTS;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;
  private static final int MAX_VARINT_BITS = 64;
  private static final int TAG_BITS = 3;
  private static final byte[] NONE = new byte[0];

  private final Deque<byte[]> chunks;
  private byte[] current = NONE;
  private int position;

  /** The number of unread bytes of the current message. */
  private long remaining;

  private int field;
  private int kind;
  private int depth;
  private int items;

  private WireReader(Deque<byte[]> chunks, long length) {
    this.chunks = chunks;
    this.remaining = length;
  }

  /**
   * Creates a reader of a message.
   *
   * @param chunks its bytes, which are removed as they are read
   */
  public static WireReader of(Deque<byte[]> chunks) {
    long length = 0;
    for (byte[] chunk : chunks) {
      length += chunk.length;
    }
    return new WireReader(chunks, length);
  }

  /** Whether the message has another field. */
  boolean hasNext() {
    return remaining > 0;
  }

  /** Moves to the next field and returns its number. */
  @CanIgnoreReturnValue
  int next() {
    long tag = readVarint();
    long number = tag >>> TAG_BITS;
    if (number < 1 || number > Integer.MAX_VALUE >>> TAG_BITS) {
      throw new ProtocolException(
          "a field has number " + number + ", so this is no protobuf message");
    }
    field = (int) number;
    kind = (int) tag & (1 << TAG_BITS) - 1;
    return field;
  }

  /** Reads the first byte of a frame, which precedes its message. */
  int code() {
    if (remaining == 0) {
      throw new ProtocolException("the frame is empty: its first byte must be a message code");
    }
    return readByte() & 0xff;
  }

  /** Reads the field's number. */
  long varint() {
    expect(VARINT);
    return readVarint();
  }

  /** Reads the field's number in zig-zag encoding. */
  long signed() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** Reads the field's Boolean. */
  boolean bool() {
    return varint() != 0;
  }

  /** Reads the field's bytes. */
  Bytes bytes() {
    return Bytes.wrap(array());
  }

  private byte[] array() {
    int length = length();
    byte[] array = new byte[length];
    int done = 0;
    while (done < length) {
      advance();
      int part = Math.min(length - done, current.length - position);
      System.arraycopy(current, position, array, done, part);
      position += part;
      done += part;
    }
    remaining -= length;
    return array;
  }

  /** Reads the field's message. */
  <T> T message(Function<WireReader, T> body) {
    int length = length();
    if (++depth > MAX_DEPTH) {
      throw new LimitExceededException(Encoder.TOO_DEEP);
    }
    long after = remaining - length;
    remaining = length;
    T message = body.apply(this);
    remaining = after;
    depth--;
    return message;
  }

  /** Skips the field. */
  void skip() {
    switch (kind) {
      case VARINT -> readVarint();
      case FIXED64 -> skip(Long.BYTES);
      case LENGTH_DELIMITED -> skip(length());
      case FIXED32 -> skip(Integer.BYTES);
      default ->
          throw new ProtocolException(
              "field " + field + " has wire type " + kind + ", which this protocol does not use");
    }
  }

  private void skip(int length) {
    check(length);
    long left = length;
    while (left > 0) {
      advance();
      int part = (int) Math.min(left, current.length - position);
      position += part;
      left -= part;
    }
    remaining -= length;
  }

  private int length() {
    expect(LENGTH_DELIMITED);
    if (++items > MAX_ITEMS) {
      throw new ProtocolException(
          "a request has more than %,d parts, the maximum for the server's heap: split the request, or give the server a larger heap (-Xmx)"
              .formatted(MAX_ITEMS));
    }
    long length = readVarint();
    check(length);
    return (int) length;
  }

  private void check(long length) {
    if (length < 0 || length > remaining) {
      throw new ProtocolException(
          "field %d has a length of %s bytes, and %,d are left"
              .formatted(field, Long.toUnsignedString(length), remaining));
    }
  }

  private void expect(int expected) {
    if (kind != expected) {
      throw new ProtocolException(
          "field %d has wire type %d instead of %d".formatted(field, kind, expected));
    }
  }

  @CanIgnoreReturnValue
  private long readVarint() {
    long value = 0;
    for (int shift = 0; shift < MAX_VARINT_BITS; shift += 7) {
      if (remaining == 0) {
        throw new ProtocolException("the message ends in the middle of a number");
      }
      byte b = readByte();
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new ProtocolException("a number has more than ten bytes");
  }

  private byte readByte() {
    advance();
    remaining--;
    return current[position++];
  }

  /** Moves to the next chunk if this one is exhausted. */
  private void advance() {
    while (position == current.length) {
      current = chunks.remove();
      position = 0;
    }
  }
}
