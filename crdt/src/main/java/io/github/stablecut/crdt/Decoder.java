package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;

/**
 * Reads what an {@link Encoder} wrote, from bytes that may be anything: every method answers bytes
 * that no encoder writes with a {@link FormatException}, before it allocates for them. Confined to
 * one thread.
 */
public interface Decoder {
  /** Reads one byte, 0 to 255. */
  int readByte();

  /** Reads a number that is not negative. */
  long readUnsigned();

  /** Reads any number. */
  long readSigned();

  /** Reads a length and as many bytes. */
  Bytes readBytes();

  /**
   * Reads the number of elements that follow. A number that the rest of the input can't hold is
   * refused, so that it is safe to allocate for.
   *
   * @param minElementBytes what one element takes at least, above 0
   */
  int readCount(int minElementBytes);

  /** Reads a yes or no. */
  default boolean readFlag() {
    int flag = readByte();
    if (flag > 1) {
      throw new FormatException("a flag is 0 or 1, not " + flag);
    }
    return flag == 1;
  }

  /** Reads a number that fits an {@code int} and is not negative. */
  default int readIndex() {
    long value = readUnsigned();
    if (value > Integer.MAX_VALUE) {
      throw new FormatException("index " + value + " is out of range");
    }
    return (int) value;
  }

  /** Reads a dot. */
  default Dot readDot() {
    long dataCentre = readUnsigned();
    if (dataCentre == 0) {
      return Dot.self(readIndex());
    }
    if (dataCentre > Integer.MAX_VALUE) {
      throw new FormatException("data centre " + (dataCentre - 1) + " is out of range");
    }
    return new Dot((int) (dataCentre - 1), readUnsigned(), readIndex());
  }

  /**
   * Begins a nested state or effect; refuses it below the greatest depth. {@link #exit} ends it.
   */
  void enter();

  /** Ends what {@link #enter} began. */
  void exit();
}
