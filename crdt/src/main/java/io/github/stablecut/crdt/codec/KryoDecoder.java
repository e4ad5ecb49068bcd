package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;

/**
 * Reads the canonical encoding from a Kryo buffer that holds the whole input. Confined to one
 * thread.
 */
final class KryoDecoder implements Decoder {
  private final Input in;
  private int depth;

  KryoDecoder(Input in) {
    this.in = in;
  }

  @Override
  public int readByte() {
    return in.readByteUnsigned();
  }

  @Override
  public long readUnsigned() {
    long value = readVariableLength(true);
    if (value < 0) {
      throw new FormatException("number is out of range: " + Long.toUnsignedString(value));
    }
    return value;
  }

  @Override
  public long readSigned() {
    return readVariableLength(false);
  }

  /** Reads a number that takes no more bytes than it must: the last of several is not 0. */
  private long readVariableLength(boolean unsigned) {
    int start = in.position();
    long value = in.readVarLong(unsigned);
    int end = in.position();
    if (end - start > 1 && in.getBuffer()[end - 1] == 0) {
      throw new FormatException("number " + value + " takes more bytes than it must");
    }
    return value;
  }

  @Override
  public Bytes readBytes() {
    return Bytes.wrap(in.readBytes(readCount(1)));
  }

  @Override
  public int readCount(int minElementBytes) {
    long count = readUnsigned();
    if (count > remaining() / minElementBytes) {
      throw new FormatException(
          count
              + " elements of "
              + minElementBytes
              + " bytes or more, but only "
              + remaining()
              + " bytes are left");
    }
    return (int) count;
  }

  int remaining() {
    return in.limit() - in.position();
  }

  @Override
  public void enter() {
    if (++depth > Encoder.MAX_DEPTH) {
      throw new FormatException("nested deeper than " + Encoder.MAX_DEPTH + " levels");
    }
  }

  @Override
  public void exit() {
    depth--;
  }
}
