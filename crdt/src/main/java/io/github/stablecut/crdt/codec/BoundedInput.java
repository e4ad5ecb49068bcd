package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.FormatException;
import org.jspecify.annotations.Nullable;

/**
 * Input that believes no length: Kryo allocates what a length asks for before it looks whether so
 * much is there. An element takes a byte at least, so all lengths together can't be above the
 * input's. Confined to one thread.
 */
final class BoundedInput extends Input {
  /** For elements that take no byte, which some serializers manage. */
  private static final int SLACK = 1024;

  private long announceable;

  BoundedInput(byte[] bytes) {
    super(bytes);
    announceable = bytes.length + (long) SLACK;
  }

  int remaining() {
    return limit - position;
  }

  /** The number, if so many elements of at least some bytes can follow. */
  int checkedCount(int count, int elementBytes) {
    announceable -= (long) count * elementBytes;
    if (count < 0 || announceable < 0) {
      throw new FormatException(
          count + " elements are announced, which the input of " + limit + " bytes can't hold");
    }
    return count;
  }

  @Override
  public @Nullable String readString() {
    // Not plain ASCII: then the number of characters comes first, plus one.
    if (readVarIntFlag()) {
      int start = position;
      int length = readVarIntFlag(true);
      position = start;
      if (length > remaining() + 1 || length < 0) {
        throw new FormatException("a text of " + length + " characters is announced");
      }
    }
    return super.readString();
  }

  @Override
  public byte[] readBytes(int length) {
    return super.readBytes(checkedCount(length, 1));
  }

  @Override
  public int[] readInts(int length) {
    return super.readInts(checkedCount(length, 1));
  }

  @Override
  public long[] readLongs(int length) {
    return super.readLongs(checkedCount(length, 1));
  }

  @Override
  public float[] readFloats(int length) {
    return super.readFloats(checkedCount(length, 1));
  }

  @Override
  public double[] readDoubles(int length) {
    return super.readDoubles(checkedCount(length, 1));
  }

  @Override
  public short[] readShorts(int length) {
    return super.readShorts(checkedCount(length, 1));
  }

  @Override
  public char[] readChars(int length) {
    return super.readChars(checkedCount(length, 1));
  }

  @Override
  public boolean[] readBooleans(int length) {
    return super.readBooleans(checkedCount(length, 1));
  }

  @Override
  public int[] readInts(int length, boolean optimizePositive) {
    return super.readInts(checkedCount(length, 1), optimizePositive);
  }

  @Override
  public long[] readLongs(int length, boolean optimizePositive) {
    return super.readLongs(checkedCount(length, 1), optimizePositive);
  }
}
