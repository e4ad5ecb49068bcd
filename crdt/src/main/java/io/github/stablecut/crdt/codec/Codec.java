package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.UUID;
import java.util.function.Function;

/**
 * Turns values of one Java type into bytes and back. Elements of sets and keys of maps are the same
 * if their bytes are, so equal values must give equal bytes: true of everything here, and of users'
 * classes under {@link KryoCodec} as long as no hash order is in them. Thread-safe.
 *
 * @param <T> the values, never null
 */
public interface Codec<T> {
  /** The bytes of a value; equal values give equal bytes. */
  Bytes encode(T value);

  /**
   * The value that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of a value
   */
  T decode(Bytes bytes);

  /** A codec of two functions that undo each other. */
  static <T> Codec<T> of(
      Function<? super T, Bytes> encode, Function<? super Bytes, ? extends T> decode) {
    return new Codec<>() {
      @Override
      public Bytes encode(T value) {
        return encode.apply(value);
      }

      @Override
      public T decode(Bytes bytes) {
        return decode.apply(bytes);
      }
    };
  }

  /** Texts as UTF-8: elements sort by code points. */
  static Codec<String> string() {
    return of(Scalars::encodeText, Scalars::decodeText);
  }

  /** Numbers in 8 bytes, the sign bit turned around: elements sort by value. */
  static Codec<Long> int64() {
    return of(Scalars::encodeLong, Scalars::decodeLong);
  }

  /** Truth values in a byte: false sorts first. */
  static Codec<Boolean> bool() {
    return of(Scalars::encodeBoolean, Scalars::decodeBoolean);
  }

  /** UUIDs in 16 bytes, the most significant first. */
  static Codec<UUID> uuid() {
    return of(Scalars::encodeUuid, Scalars::decodeUuid);
  }

  /** Bytes as they are. */
  static Codec<Bytes> bytes() {
    return of(Function.identity(), Function.identity());
  }
}
