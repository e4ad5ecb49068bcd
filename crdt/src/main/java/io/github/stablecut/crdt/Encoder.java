package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Collection;
import java.util.Optional;

/** Writes the canonical bytes of states and effects. Confined to one thread. */
public interface Encoder {
  /** States, operations and effects nest at most this deep. */
  int MAX_DEPTH = 64;

  /** What everything says that refuses objects below {@link #MAX_DEPTH}. */
  String TOO_DEEP = "objects nest at most " + MAX_DEPTH + " deep: flatten the structure";

  /** Stands for no bytes where a length is expected, which is less. */
  long NO_BYTES = 1L << 32;

  /** The first byte of an escape; in a number, one above 0 follows it. */
  int ESCAPE = 0x80;

  /** Writes one byte, 0 to 255. */
  void writeByte(int value);

  /** Writes a number that is not negative in 1 to 9 bytes, fewer for smaller numbers. */
  void writeUnsigned(long value);

  /** Writes any number in 1 to 10 bytes, fewer for numbers near 0. */
  void writeSigned(long value);

  /** Writes the two bytes with which no number begins. */
  default void writeEscape() {
    writeByte(ESCAPE);
    writeByte(0);
  }

  /** Writes the length and the bytes. */
  void writeBytes(Bytes bytes);

  /** Writes bytes that an encoder has written, as they are. */
  void writeEncoded(Bytes encoded);

  /**
   * Writes bytes as {@link #writeBytes} does, or in the place of their length that there are none.
   */
  default void writeOptionalBytes(Optional<Bytes> bytes) {
    if (bytes.isPresent()) {
      writeBytes(bytes.get());
    } else {
      writeUnsigned(NO_BYTES);
    }
  }

  /** Writes how many byte strings there are, and each. */
  default void writeAll(Collection<Bytes> all) {
    writeUnsigned(all.size());
    all.forEach(this::writeBytes);
  }

  /** Writes a yes or no in one byte. */
  default void writeFlag(boolean flag) {
    writeByte(flag ? 1 : 0);
  }

  /** Writes how many entries a vector has, and each as an unsigned number. */
  default void writeVector(VectorClock vector) {
    writeUnsigned(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      writeUnsigned(vector.get(i));
    }
  }

  /** Writes a dot, self dots included, in about 10 bytes. */
  default void writeDot(Dot dot) {
    writeUnsigned(dot.dataCentre() + 1L);
    if (!dot.isSelf()) {
      writeUnsigned(dot.time());
    }
    writeUnsigned(dot.index());
  }

  /**
   * Begins a nested state or effect; refuses it below {@link #MAX_DEPTH}. {@link #exit} ends it.
   */
  void enter();

  /** Ends what {@link #enter} began. */
  void exit();

  /** Takes the pages of a large state; empty if all of it is to be written here. */
  default Optional<PageWriter> pages() {
    return Optional.empty();
  }
}
