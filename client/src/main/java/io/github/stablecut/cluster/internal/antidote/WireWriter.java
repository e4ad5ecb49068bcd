package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Writes protobuf's wire format backwards: the last field first, and lists in descending order. A
 * message's length is therefore known when it is written, and nothing is computed or copied twice.
 * Confined to one thread.
 */
final class WireWriter {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;
  private static final int TAG_BITS = 3;
  private static final int MIN_CHUNK_BYTES = 256;
  private static final int MAX_CHUNK_BYTES = 64 << 10;

  private final long maxBytes;
  private final Deque<ByteBuffer> done = new ArrayDeque<>();
  private byte[] chunk = new byte[MIN_CHUNK_BYTES];
  private int position = chunk.length;

  /** The bytes in {@link #done}. */
  private long doneBytes;

  /**
   * @param maxBytes the maximum size of the frame
   */
  WireWriter(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Writes a number. */
  void varint(int field, long value) {
    rawVarint(value);
    tag(field, VARINT);
  }

  /** Writes a number in zig-zag encoding. */
  void signed(int field, long value) {
    varint(field, value << 1 ^ value >> 63);
  }

  /** Writes a Boolean. */
  void bool(int field, boolean value) {
    varint(field, value ? 1 : 0);
  }

  /** Writes bytes. */
  void bytes(int field, Bytes value) {
    reserve(value.length());
    position -= value.length();
    value.copyInto(chunk, position);
    rawVarint(value.length());
    tag(field, LENGTH_DELIMITED);
  }

  /**
   * Writes a message.
   *
   * @param body writes its fields
   */
  void message(int field, Runnable body) {
    long after = length();
    body.run();
    rawVarint(length() - after);
    tag(field, LENGTH_DELIMITED);
  }

  /** Writes the messages of a list. */
  <T> void messages(int field, List<T> parts, BiConsumer<WireWriter, T> body) {
    for (int i = parts.size() - 1; i >= 0; i--) {
      T part = parts.get(i);
      message(field, () -> body.accept(this, part));
    }
  }

  /** Writes the strings of a list. */
  void strings(int field, List<Bytes> parts) {
    for (int i = parts.size() - 1; i >= 0; i--) {
      bytes(field, parts.get(i));
    }
  }

  /** Completes the frame around the written fields. */
  List<ByteBuffer> frame(int code) {
    reserve(1 + MessageCode.LENGTH_BYTES);
    chunk[--position] = (byte) code;
    int length = (int) length();
    position -= MessageCode.LENGTH_BYTES;
    ByteBuffer.wrap(chunk).putInt(position, length);
    List<ByteBuffer> frame = new ArrayList<>(done.size() + 1);
    frame.add(written());
    frame.addAll(done);
    return frame;
  }

  private long length() {
    return doneBytes + chunk.length - position;
  }

  private ByteBuffer written() {
    return ByteBuffer.wrap(chunk, position, chunk.length - position);
  }

  private void tag(int field, int kind) {
    rawVarint((long) field << TAG_BITS | kind);
  }

  private void rawVarint(long value) {
    int size = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    reserve(size);
    position -= size;
    long rest = value;
    for (int i = 0; i < size - 1; i++) {
      chunk[position + i] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    chunk[position + size - 1] = (byte) rest;
  }

  /** Ensures that the current chunk has room for some bytes. */
  private void reserve(int bytes) {
    if (bytes <= position) {
      return;
    }
    if (length() + bytes > maxBytes) {
      throw new TooLargeException(maxBytes);
    }
    ByteBuffer full = written();
    doneBytes += full.remaining();
    done.addFirst(full);
    chunk = new byte[Math.max(bytes, Math.min(MAX_CHUNK_BYTES, chunk.length * 2))];
    position = chunk.length;
  }
}
