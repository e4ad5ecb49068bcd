package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Converts values of one Java type to bytes and back: registers, sets and maps store bytes, users
 * see values. Two values are the same element of a set or key of a map if their bytes are equal.
 * Elements and keys are ordered by their bytes. Thread-safe.
 *
 * <p>The codecs here are canonical: values that are {@code equals} have equal bytes. {@link
 * RecordCodec} is for records, whose components can be added and removed; {@link
 * io.github.stablecut.crdt.codec.json.JsonCodec} and {@link KryoCodec} are for other classes.
 *
 * @param <T> the type of the values, which are never null
 */
public interface Codec<T> {
  /**
   * Encodes a value; equal values give equal bytes.
   *
   * @throws ValueRefusedException if the codec can't represent the value
   */
  Bytes encode(T value);

  /**
   * Decodes a value.
   *
   * @throws FormatException if the bytes are not a valid value
   */
  T decode(Bytes bytes);

  /** Texts, as UTF-8; ordered by Unicode code point. Refuses texts with unpaired surrogates. */
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
   * Floating-point numbers, in eight bytes, in the order of {@link Double#compare}: all NaNs are
   * equal, and -0.0 comes before 0.0.
   */
  static Codec<Double> float64() {
    return ScalarCodecs.FLOAT64;
  }

  /** Truth values, in one byte, false before true. */
  static Codec<Boolean> bool() {
    return ScalarCodecs.BOOL;
  }

  /** Universally unique ids, in sixteen bytes, in the order of their texts. */
  static Codec<UUID> uuid() {
    return ScalarCodecs.UUIDS;
  }

  /** Instants, to the nanosecond, in twelve bytes, ordered by time. */
  static Codec<Instant> instant() {
    return ScalarCodecs.INSTANT;
  }

  /**
   * The constants of an enum, by name, so names must not change; ordered by name, not by ordinal.
   */
  static <E extends Enum<E>> Codec<E> constants(Class<E> type) {
    return string().map(Enum::name, name -> Enum.valueOf(type, name));
  }

  /** Lists, with the length of each element; the order of the bytes is not that of the lists. */
  static <T> Codec<List<T>> list(Codec<T> element) {
    return CompoundCodecs.list(element);
  }

  /** Optional values: a byte before the value, or no bytes if absent. */
  static <T> Codec<Optional<T>> optional(Codec<T> value) {
    return CompoundCodecs.optional(value);
  }

  /** Bytes, unchanged. */
  static Codec<Bytes> bytes() {
    return ScalarCodecs.BYTES;
  }

  /**
   * Values that this codec encodes in another form.
   *
   * @param encode converts any value; gives equal values equal forms
   * @param decode the inverse; an {@link IllegalArgumentException} becomes a {@link
   *     FormatException}
   */
  default <U> Codec<U> map(Function<? super U, ? extends T> encode, Function<? super T, U> decode) {
    return ScalarCodecs.of(
        value -> encode(encode.apply(value)), bytes -> decode.apply(decode(bytes)));
  }
}
