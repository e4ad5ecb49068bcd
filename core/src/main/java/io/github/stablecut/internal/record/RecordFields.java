package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Encodes the fields of records: numbers, bytes, vectors. Truncated input causes a {@link
 * BufferUnderflowException}.
 */
final class RecordFields {
  private RecordFields() {}

  static VectorClock readVector(ByteBuffer in, long position) {
    int size = readSize(in);
    if (size > VectorClock.MAX_DATA_CENTRES) {
      throw TransactionRecord.malformed(
          position,
          "a vector of %d entries, at most %d".formatted(size, VectorClock.MAX_DATA_CENTRES));
    }
    if (size <= 1) {
      return size == 0 ? VectorClock.ZERO : VectorClock.of(readNumber(in));
    }
    long[] entries = new long[size];
    for (int i = 0; i < size; i++) {
      entries[i] = readNumber(in);
    }
    return VectorClock.ofEntries(entries);
  }

  static byte[] readBytes(ByteBuffer in) {
    byte[] bytes = new byte[readSize(in)];
    in.get(bytes);
    return bytes;
  }

  static ByteBuffer readSlice(ByteBuffer in) {
    int size = readSize(in);
    ByteBuffer slice = in.slice(in.position(), size);
    in.position(in.position() + size);
    return slice;
  }

  static void skip(ByteBuffer in) {
    int size = readSize(in);
    in.position(in.position() + size);
  }

  /** Reads a number of elements of at least one byte each, so at most as many as bytes remain. */
  static int readSize(ByteBuffer in) {
    long size = readNumber(in);
    if (size > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return (int) size;
  }

  static int readInt(ByteBuffer in) {
    return (int) Math.min(readNumber(in), Integer.MAX_VALUE);
  }

  static long readNumber(ByteBuffer in) {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
      byte next = in.get();
      number |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new BufferUnderflowException();
  }

  static void putBytes(ByteBuffer out, Bytes bytes) {
    int offset = out.arrayOffset();
    out.position(putBytes(out.array(), offset + out.position(), bytes) - offset);
  }

  static void putVector(ByteBuffer out, VectorClock vector) {
    int offset = out.arrayOffset();
    out.position(putVector(out.array(), offset + out.position(), vector) - offset);
  }

  static void putNumber(ByteBuffer out, long number) {
    int offset = out.arrayOffset();
    out.position(putNumber(out.array(), offset + out.position(), number) - offset);
  }

  /** Puts bytes into an array at an index; returns the index after them. */
  static int putBytes(byte[] out, int begin, Bytes bytes) {
    int at = putNumber(out, begin, bytes.length());
    bytes.copyInto(out, at);
    return at + bytes.length();
  }

  /** Like {@link #putBytes(byte[], int, Bytes)}. */
  static int putVector(byte[] out, int begin, VectorClock vector) {
    int at = putNumber(out, begin, vector.size());
    for (int i = 0; i < vector.size(); i++) {
      at = putNumber(out, at, vector.get(i));
    }
    return at;
  }

  /** Like {@link #putBytes(byte[], int, Bytes)}. */
  static int putNumber(byte[] out, int begin, long number) {
    int at = begin;
    long rest = number;
    while (rest > 0x7f) {
      out[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    out[at++] = (byte) rest;
    return at;
  }

  static int vectorBytes(VectorClock vector) {
    int bytes = numberBytes(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      bytes += numberBytes(vector.get(i));
    }
    return bytes;
  }

  static int numberBytes(long number) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + 6) / 7);
  }
}
