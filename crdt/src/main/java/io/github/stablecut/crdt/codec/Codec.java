package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;

/**
 * Turns values of one Java type into bytes and back. Thread-safe.
 *
 * @param <T> the values
 */
public interface Codec<T> {
  /** The bytes of a value; equal values give equal bytes. */
  Bytes encode(T value);

  /** The value that some bytes stand for. */
  T decode(Bytes bytes);

  /** Texts, as UTF-8. */
  static Codec<String> string() {
    return new Codec<>() {
      @Override
      public Bytes encode(String value) {
        return Bytes.utf8(value);
      }

      @Override
      public String decode(Bytes bytes) {
        return bytes.toUtf8();
      }
    };
  }
}
