package io.github.stablecut.crdt.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** The codecs of single values. */
final class ScalarCodecs {
  private static final int MAX_NANOS = 999_999_999;

  static final Codec<Bytes> BYTES = of(value -> value, bytes -> bytes);

  static final Codec<String> STRING = of(ScalarCodecs::encodeText, ScalarCodecs::decodeText);

  static final Codec<Long> INT64 =
      of(value -> eightBytes(value ^ Long.MIN_VALUE), bytes -> eightBytes(bytes) ^ Long.MIN_VALUE);

  static final Codec<Integer> INT32 =
      of(
          value ->
              Bytes.wrap(
                  ByteBuffer.allocate(Integer.BYTES).putInt(value ^ Integer.MIN_VALUE).array()),
          bytes -> expect(Integer.BYTES, bytes).getInt() ^ Integer.MIN_VALUE);

  static final Codec<Instant> INSTANT =
      of(ScalarCodecs::encodeInstant, ScalarCodecs::decodeInstant);

  static final Codec<Double> FLOAT64 = of(ScalarCodecs::encodeDouble, ScalarCodecs::decodeDouble);

  static final Codec<Boolean> BOOL =
      of(value -> Bytes.wrap(new byte[] {(byte) (value ? 1 : 0)}), ScalarCodecs::decodeBoolean);

  static final Codec<UUID> UUIDS =
      of(
          value ->
              Bytes.wrap(
                  ByteBuffer.allocate(16)
                      .putLong(value.getMostSignificantBits())
                      .putLong(value.getLeastSignificantBits())
                      .array()),
          bytes -> {
            ByteBuffer buffer = expect(16, bytes);
            return new UUID(buffer.getLong(), buffer.getLong());
          });

  private ScalarCodecs() {}

  static <T> Codec<T> of(Function<T, Bytes> encode, Function<Bytes, T> decode) {
    return new Codec<>() {
      @Override
      public Bytes encode(T value) {
        return encode.apply(Objects.requireNonNull(value, "value"));
      }

      @Override
      public T decode(Bytes bytes) {
        try {
          return decode.apply(bytes);
        } catch (IllegalArgumentException e) {
          throw new FormatException("not the bytes of a value: " + bytes, e);
        }
      }
    };
  }

  private static Bytes encodeText(String text) {
    try {
      return Bytes.utf8(text);
    } catch (IllegalArgumentException e) {
      throw new ValueRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  private static String decodeText(Bytes bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toArray())).toString();
    } catch (CharacterCodingException e) {
      throw new FormatException("string: not valid UTF-8: " + bytes, e);
    }
  }

  /** Inverts all bits of negative numbers, so that they ascend, and the first bit of others. */
  private static Bytes encodeDouble(double value) {
    long bits = Double.doubleToLongBits(value);
    return eightBytes(bits ^ ((bits >> 63) | Long.MIN_VALUE));
  }

  private static double decodeDouble(Bytes bytes) {
    long ordered = eightBytes(bytes);
    double value = Double.longBitsToDouble(ordered ^ ((~ordered >> 63) | Long.MIN_VALUE));
    if (!encodeDouble(value).equals(bytes)) {
      throw new FormatException("number: not the canonical NaN: " + bytes);
    }
    return value;
  }

  private static Bytes encodeInstant(Instant instant) {
    return Bytes.wrap(
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
            .putLong(instant.getEpochSecond() ^ Long.MIN_VALUE)
            .putInt(instant.getNano())
            .array());
  }

  private static Instant decodeInstant(Bytes bytes) {
    ByteBuffer buffer = expect(Long.BYTES + Integer.BYTES, bytes);
    long seconds = buffer.getLong() ^ Long.MIN_VALUE;
    int nanos = buffer.getInt();
    if (nanos < 0 || nanos > MAX_NANOS) {
      throw new FormatException("instant: nanoseconds are out of range: " + nanos);
    }
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException e) {
      throw new FormatException("instant: " + e.getMessage(), e);
    }
  }

  private static boolean decodeBoolean(Bytes bytes) {
    int value = expect(1, bytes).get();
    if (value != 0 && value != 1) {
      throw new FormatException("boolean: must be 0 or 1, not " + value);
    }
    return value == 1;
  }

  private static Bytes eightBytes(long value) {
    return Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }

  private static long eightBytes(Bytes bytes) {
    return expect(Long.BYTES, bytes).getLong();
  }

  private static ByteBuffer expect(int length, Bytes bytes) {
    if (bytes.length() != length) {
      throw new FormatException("value: " + bytes.length() + " bytes, expected " + length);
    }
    return ByteBuffer.wrap(bytes.toArray());
  }
}
