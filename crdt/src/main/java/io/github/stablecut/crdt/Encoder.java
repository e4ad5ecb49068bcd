package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Collection;
import java.util.Optional;

/** Writes the canonical encoding of states, operations and effects. Confined to one thread. */
public interface Encoder {
  /** The maximum nesting depth of states, operations and effects. */
  int MAX_DEPTH = 64;

  /** The message that refuses objects deeper than {@link #MAX_DEPTH}. */
  String TOO_DEEP = "objects nest at most " + MAX_DEPTH + " deep: flatten the structure";

  /** Marks absent bytes in the place of a length; lengths are smaller. */
  long NO_BYTES = 1L << 32;

  /** The first byte of an escape. Within a number, a byte above 0 follows it. */
  int ESCAPE = 0x80;

  /** Writes one byte, 0 to 255. */
  void writeByte(int value);

  /** Writes a non-negative number in 1 to 9 bytes, fewer for smaller numbers. */
  void writeUnsigned(long value);

  /** Writes any number in 1 to 10 bytes, fewer for numbers near 0. */
  void writeSigned(long value);

  /** Writes two bytes with which no encoded number begins. */
  default void writeEscape() {
    writeByte(ESCAPE);
    writeByte(0);
  }

  /** Writes the length and the bytes. */
  void writeBytes(Bytes bytes);

  /** Writes bytes that an encoder has produced, verbatim. */
  void writeEncoded(Bytes encoded);

  /**
   * Writes bytes as {@link #writeBytes} does, or {@link #NO_BYTES} in the place of their length if
   * they are absent.
   */
  default void writeOptionalBytes(Optional<Bytes> bytes) {
    if (bytes.isPresent()) {
      writeBytes(bytes.get());
    } else {
      writeUnsigned(NO_BYTES);
    }
  }

  /** Writes the number of byte strings, then each of them. */
  default void writeAll(Collection<Bytes> all) {
    writeUnsigned(all.size());
    all.forEach(this::writeBytes);
  }

  /** Writes a boolean in one byte. */
  default void writeFlag(boolean flag) {
    writeByte(flag ? 1 : 0);
  }

  /** Writes the number of entries of a vector, then each as an unsigned number. */
  default void writeVector(VectorClock vector) {
    writeUnsigned(vector.size());
    for (int i = 0; i < vector.size(); i++) {
      writeUnsigned(vector.get(i));
    }
  }

  /** Writes a dot, possibly a self dot, in about 10 bytes. */
  default void writeDot(Dot dot) {
    writeUnsigned(dot.dataCentre() + 1L);
    if (!dot.isSelf()) {
      writeUnsigned(dot.time());
    }
    writeUnsigned(dot.index());
  }

  /**
   * Begins a nested state or effect; refuses one deeper than {@link #MAX_DEPTH}. {@link #exit} ends
   * it.
   */
  void enter();

  /** Ends the nested state or effect that {@link #enter} began. */
  void exit();

  /** The writer of a large state's pages; empty if the caller writes the whole state here. */
  default Optional<PageWriter> pages() {
    return Optional.empty();
  }
}
