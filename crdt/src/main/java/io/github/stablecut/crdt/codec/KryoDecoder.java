package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Pages;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the canonical encoding from a Kryo buffer with the whole input. Each element takes bytes of
 * its own, so the sum of all counts can't exceed the input's size; otherwise nested objects could
 * each claim the whole rest. Confined to one thread.
 */
final class KryoDecoder implements Decoder {
  /** The position of the eight bits of a number's ninth byte. */
  private static final int LAST_SHIFT = 56;

  private final Input in;

  /** The number of bytes that further counts may claim in total. */
  private long claimable;

  private final Optional<Pages> pages;
  private int depth;

  /** The budget for elements; null if only the input's size limits them. */
  private @Nullable ElementBudget elements;

  KryoDecoder(Input in) {
    this(in, Optional.empty());
  }

  /**
   * @param pages the pages of a large state; empty if the buffer contains all of it
   */
  KryoDecoder(Input in, Optional<Pages> pages) {
    this.in = in;
    this.pages = pages;
    claimable = remaining();
  }

  /** Counts all further elements in a budget. */
  void countIn(@Nullable ElementBudget budget) {
    elements = budget;
  }

  /** The budget for elements; null if there is none. */
  @Nullable ElementBudget elements() {
    return elements;
  }

  /** Counts the elements of a part in the budget of the whole. */
  static void countTogether(Decoder part, Decoder whole) {
    if (part instanceof KryoDecoder inner && whole instanceof KryoDecoder outer) {
      inner.countIn(outer.elements());
    }
  }

  @Override
  public Optional<Pages> pages() {
    return pages;
  }

  @Override
  public int readByte() {
    return in.readByteUnsigned();
  }

  @Override
  public long readUnsigned() {
    long value = readVarLong();
    if (value < 0) {
      throw new FormatException("a number is out of range: " + Long.toUnsignedString(value));
    }
    return value;
  }

  @Override
  public long readSigned() {
    long zigzag = readVarLong();
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  @Override
  public boolean readEscape() {
    byte[] bytes = in.getBuffer();
    int begin = in.position();
    boolean isEscape =
        remaining() >= 2 && (bytes[begin] & 0xff) == Encoder.ESCAPE && bytes[begin + 1] == 0;
    if (isEscape) {
      in.setPosition(begin + 2);
    }
    return isEscape;
  }

  /** Reads a number in its shortest form only, unlike Kryo's method. */
  private long readVarLong() {
    long value = 0;
    for (int shift = 0; shift < LAST_SHIFT; shift += 7) {
      int next = in.readByteUnsigned();
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        return checkShort(value, next, shift);
      }
    }
    int last = in.readByteUnsigned();
    return checkShort(value | ((long) last << LAST_SHIFT), last, LAST_SHIFT);
  }

  private static long checkShort(long value, int lastByte, int shift) {
    if (lastByte == 0 && shift > 0) {
      throw new FormatException("a number is not in its shortest form: " + value);
    }
    return value;
  }

  @Override
  public Bytes readBytes() {
    return Bytes.wrap(in.readBytes(readClaim(1)));
  }

  @Override
  public Optional<Bytes> readOptionalBytes() {
    int begin = in.position();
    if (readUnsigned() == Encoder.NO_BYTES) {
      return Optional.empty();
    }
    in.setPosition(begin);
    return Optional.of(readBytes());
  }

  @Override
  public int readCount(int minElementBytes) {
    int count = readClaim(minElementBytes);
    if (elements != null) {
      elements.take(count);
    }
    return count;
  }

  private int readClaim(int minElementBytes) {
    long count = readUnsigned();
    long left = Math.min(remaining(), claimable);
    if (count > left / minElementBytes) {
      throw new FormatException(
          "%d elements of %d bytes or more, but only %d bytes are left"
              .formatted(count, minElementBytes, left));
    }
    claimable -= count * minElementBytes;
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
