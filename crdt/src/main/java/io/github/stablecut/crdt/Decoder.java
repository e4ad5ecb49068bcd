package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads what an {@link Encoder} wrote, from untrusted bytes: every method rejects bytes that no
 * encoder writes with a {@link FormatException}, before it allocates memory for them. Confined to
 * one thread.
 */
public interface Decoder {
  /** Reads one byte, 0 to 255. */
  int readByte();

  /** Reads a non-negative number. */
  long readUnsigned();

  /** Reads any number. */
  long readSigned();

  /** Reads an escape of {@link Encoder#writeEscape} if one is next; returns whether it was. */
  boolean readEscape();

  /** Reads a length, then as many bytes. */
  Bytes readBytes();

  /** Reads bytes that {@link Encoder#writeOptionalBytes} wrote. */
  Optional<Bytes> readOptionalBytes();

  /**
   * Reads the number of elements that follow. Rejects a number that the rest of the input can't
   * hold, so the result is safe to allocate for.
   *
   * @param minElementBytes the minimum size of an element in bytes, above 0
   */
  int readCount(int minElementBytes);

  /**
   * Reads a number of elements, then as many elements.
   *
   * @param minElementBytes the minimum size of an element in bytes, above 0
   */
  default <T> List<T> readList(int minElementBytes, Function<Decoder, ? extends T> element) {
    int count = readCount(minElementBytes);
    List<T> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(element.apply(this));
    }
    return elements;
  }

  /** Reads byte strings that {@link Encoder#writeAll} wrote. */
  default List<Bytes> readAll() {
    return readList(1, Decoder::readBytes);
  }

  /**
   * Reads a number of elements, then as many elements, whose keys must ascend.
   *
   * @param minElementBytes the minimum size of an element in bytes, above 0
   */
  default <T, K extends Comparable<? super K>> List<T> readAscending(
      int minElementBytes, Function<Decoder, T> element, Function<T, K> keyOf) {
    int count = readCount(minElementBytes);
    List<T> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      T next = element.apply(this);
      if (i > 0) {
        K last = keyOf.apply(elements.get(i - 1));
        K key = keyOf.apply(next);
        if (last.compareTo(key) >= 0) {
          throw new FormatException("not in ascending order: " + last + ", " + key);
        }
      }
      elements.add(next);
    }
    return elements;
  }

  /** Reads a boolean. */
  default boolean readFlag() {
    int flag = readByte();
    if (flag > 1) {
      throw new FormatException("a flag is 0 or 1, not " + flag);
    }
    return flag == 1;
  }

  /** Reads a non-negative {@code int}. */
  default int readIndex() {
    long value = readUnsigned();
    if (value > Integer.MAX_VALUE) {
      throw new FormatException("index " + value + " is out of range");
    }
    return (int) value;
  }

  /** Reads a vector. */
  default VectorClock readVector() {
    int size = readCount(1);
    if (size > VectorClock.MAX_DATA_CENTRES) {
      throw new FormatException("a vector of " + size + " entries");
    }
    long[] entries = new long[size];
    for (int i = 0; i < size; i++) {
      entries[i] = readUnsigned();
    }
    return VectorClock.ofEntries(entries);
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
   * Begins a nested state or effect; rejects one deeper than {@link Encoder#MAX_DEPTH}. {@link
   * #exit} ends it.
   */
  void enter();

  /** Ends the nested state or effect that {@link #enter} began. */
  void exit();

  /** The pages of a large state; empty if the input contains all of it. */
  default Optional<Pages> pages() {
    return Optional.empty();
  }
}
