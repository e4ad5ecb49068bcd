package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.FormatException;

/**
 * A Kryo buffer with the whole input. It rejects every length that exceeds the rest of the input,
 * before anything is allocated. Each element takes at least a byte, so the sum of all lengths can't
 * exceed the input either; otherwise nested arrays could each claim the whole rest. Confined to one
 * thread.
 */
final class CheckedInput extends Input {
  /** The number of elements that further lengths may claim in total. */
  private long claimable;

  CheckedInput(byte[] bytes) {
    super(bytes);
    claimable = bytes.length;
  }

  /** The number of unread bytes. */
  int remaining() {
    return limit - position;
  }

  /** Reads the number of elements that follow. */
  int readCount(int minElementBytes) {
    return check(readVarInt(true), minElementBytes);
  }

  @CanIgnoreReturnValue
  private int check(int count, int minElementBytes) {
    claimable -= (long) count * minElementBytes;
    if (count < 0 || claimable < 0 || count > remaining() / minElementBytes) {
      throw new FormatException(
          "value: " + count + " elements, but only " + remaining() + " bytes are left");
    }
    return count;
  }

  private void checkText() {
    int start = position;
    if (readVarIntFlag()) {
      check(Math.max(readVarIntFlag(true) - 1, 0), 1);
    }
    position = start;
  }

  @Override
  public String readString() {
    checkText();
    return super.readString();
  }

  @Override
  public StringBuilder readStringBuilder() {
    checkText();
    return super.readStringBuilder();
  }

  @Override
  public byte[] readBytes(int length) throws KryoException {
    return super.readBytes(check(length, 1));
  }

  @Override
  public int[] readInts(int length) throws KryoException {
    return super.readInts(check(length, Integer.BYTES));
  }

  @Override
  public int[] readInts(int length, boolean optimizePositive) throws KryoException {
    return super.readInts(check(length, 1), optimizePositive);
  }

  @Override
  public long[] readLongs(int length) throws KryoException {
    return super.readLongs(check(length, Long.BYTES));
  }

  @Override
  public long[] readLongs(int length, boolean optimizePositive) throws KryoException {
    return super.readLongs(check(length, 1), optimizePositive);
  }

  @Override
  public float[] readFloats(int length) throws KryoException {
    return super.readFloats(check(length, Float.BYTES));
  }

  @Override
  public double[] readDoubles(int length) throws KryoException {
    return super.readDoubles(check(length, Double.BYTES));
  }

  @Override
  public short[] readShorts(int length) throws KryoException {
    return super.readShorts(check(length, Short.BYTES));
  }

  @Override
  public char[] readChars(int length) throws KryoException {
    return super.readChars(check(length, Character.BYTES));
  }

  @Override
  public boolean[] readBooleans(int length) throws KryoException {
    return super.readBooleans(check(length, 1));
  }
}
