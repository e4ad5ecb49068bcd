package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Turns values of one Java type into bytes and back: registers, sets and maps hold bytes, and users
 * see values. Two values are the same element of a set, or key of a map, if their bytes are equal,
 * and elements and keys are ordered by their bytes. Thread-safe.
 *
 * <p>The codecs here are canonical: values that are {@code equals} have equal bytes. {@link
 * RecordCodec} serves records, whose components may come and go, {@link
 * io.github.stablecut.crdt.codec.json.JsonCodec} and {@link KryoCodec} serve other classes.
 *
 * @param <T> the values; not null
 */
public interface Codec<T> {
  /**
   * The bytes of a value; equal values give equal bytes.
   *
   * @throws ValueRefusedException if the codec can't represent the value
   */
  Bytes encode(T value);

  /**
   * The value that some bytes stand for.
   *
   * @throws FormatException if there is none
   */
  T decode(Bytes bytes);

  /** Texts, as UTF-8; ordered by Unicode code point. A text with half a character is refused. */
  static Codec<String> string() {
    return ScalarCodecs.STRING;
  }

  /** Numbers, in eight bytes, ordered as numbers. */
  static Codec<Long> int64() {
    return ScalarCodecs.INT64;
  }

  /** Numbers of the type {@code int}, in four bytes, ordered as numbers. */
  static Codec<Integer> int32() {
    return ScalarCodecs.INT32;
  }

  /**
   * Floating-point numbers, in eight bytes, ordered as {@link Double#compare} does: all NaNs are
   * one, and -0.0 comes before 0.0.
   */
  static Codec<Double> float64() {
    return ScalarCodecs.FLOAT64;
  }

  /** Truth values, in one byte, false before true. */
  static Codec<Boolean> bool() {
    return ScalarCodecs.BOOL;
  }

  /** Universally unique ids, in sixteen bytes, ordered as their texts. */
  static Codec<UUID> uuid() {
    return ScalarCodecs.UUIDS;
  }

  /** Moments, to the nanosecond, in twelve bytes, ordered by time. */
  static Codec<Instant> instant() {
    return ScalarCodecs.INSTANT;
  }

  /**
   * The constants of an enum, by their names, which therefore stay; ordered by name, and not as the
   * constants are.
   */
  static <E extends Enum<E>> Codec<E> constants(Class<E> type) {
    return string().map(Enum::name, name -> Enum.valueOf(type, name));
  }

  /** Lists, of which each element is written with its length; not ordered as lists are. */
  static <T> Codec<List<T>> list(Codec<T> element) {
    return CompoundCodecs.list(element);
  }

  /** Values that may be missing: a byte before the value, or no bytes. */
  static <T> Codec<Optional<T>> optional(Codec<T> value) {
    return CompoundCodecs.optional(value);
  }

  /** Bytes themselves. */
  static Codec<Bytes> bytes() {
    return ScalarCodecs.BYTES;
  }

  /**
   * Values that another codec knows in another form.
   *
   * @param encode total, and gives equal values equal forms
   * @param decode undoes it; an {@link IllegalArgumentException} counts as {@link FormatException}
   */
  default <U> Codec<U> map(Function<? super U, ? extends T> encode, Function<? super T, U> decode) {
    return ScalarCodecs.of(
        value -> encode(encode.apply(value)), bytes -> decode.apply(decode(bytes)));
  }
}
