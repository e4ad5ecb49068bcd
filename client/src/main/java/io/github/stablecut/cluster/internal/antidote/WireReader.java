package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.thread.HeapShare;
import java.util.Deque;
import java.util.function.Function;

/**
 * Reads protobuf's wire format from the chunks of a frame, and lets go of each chunk once it is
 * read: a large frame is never in memory twice. Nothing is allocated for a length before as many
 * bytes are known to be there. Confined to one thread.
 *
 * <p>A message is read field by field: {@link #hasNext}, {@link #next}, and then the accessor of
 * the field's kind or {@link #skip}.
 *
 * <p>Everything throws {@link ProtocolException} if the bytes are no message.
 */
public final class WireReader {
  /**
   * How deep messages nest at most: more than objects may ({@link Encoder#MAX_DEPTH}), of which
   * each costs three.
   */
  static final int MAX_DEPTH = 256;

  /** How many strings and messages one frame may have. */
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

  /** The bytes of the message being read that are still to come. */
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
   * A reader of a message.
   *
   * @param chunks its bytes; they are taken out while they are read
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

  /** Goes to the next field and gives its number. */
  int next() {
    long tag = readVarint();
    long number = tag >>> TAG_BITS;
    if (number < 1 || number > Integer.MAX_VALUE >>> TAG_BITS) {
      throw new ProtocolException("a field has number " + number + ": not a protobuf message");
    }
    field = (int) number;
    kind = (int) tag & (1 << TAG_BITS) - 1;
    return field;
  }

  /** The first byte of a frame, before its message. */
  int code() {
    if (remaining == 0) {
      throw new ProtocolException("the frame is empty: it begins with the code of a message");
    }
    return readByte() & 0xff;
  }

  /** The number that the field holds. */
  long varint() {
    expect(VARINT);
    return readVarint();
  }

  /** The number that the field holds in zig-zag form. */
  long signed() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** The truth value that the field holds. */
  boolean bool() {
    return varint() != 0;
  }

  /** The bytes that the field holds. */
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

  /** The message that the field holds. */
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

  /** Leaves a field out. */
  void skip() {
    switch (kind) {
      case VARINT -> {
        long unused = readVarint();
      }
      case FIXED64 -> skip(Long.BYTES);
      case LENGTH_DELIMITED -> skip(length());
      case FIXED32 -> skip(Integer.BYTES);
      default ->
          throw new ProtocolException(
              "field " + field + " is of kind " + kind + ", which proto2 messages here don't use");
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
          "a request has more than %,d parts, as many as the server's heap has room for: send several requests, or give it a larger heap (-Xmx)"
              .formatted(MAX_ITEMS));
    }
    long length = readVarint();
    check(length);
    return (int) length;
  }

  private void check(long length) {
    if (length < 0 || length > remaining) {
      throw new ProtocolException(
          "field %d is said to have %s bytes where %,d are left"
              .formatted(field, Long.toUnsignedString(length), remaining));
    }
  }

  private void expect(int expected) {
    if (kind != expected) {
      throw new ProtocolException(
          "field %d is of kind %d, not %d as it should be".formatted(field, kind, expected));
    }
  }

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

  /** Goes to the next chunk if this one is read. */
  private void advance() {
    while (position == current.length) {
      current = chunks.remove();
      position = 0;
    }
  }
}
