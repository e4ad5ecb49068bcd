package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Optional;

/** The type of a column's values. Each type orders its values as their encoded bytes. */
public enum ColumnType {
  /** {@link Boolean}; false before true. */
  BOOLEAN(1, Boolean.class, 1, Codec.bool()),
  /** {@link Integer}. */
  INT(
      2,
      Integer.class,
      4,
      codec(4, ColumnType::putInt, bytes -> bytes.getInt() ^ Integer.MIN_VALUE)),
  /** {@link Long}. */
  BIGINT(3, Long.class, 8, Codec.int64()),
  /** {@link Float}, ordered as by {@link Float#compare}; all NaNs are equal. */
  FLOAT(4, Float.class, 4, codec(4, ColumnType::putFloat, ColumnType::getFloat)),
  /** {@link Double}, ordered as by {@link Double#compare}; all NaNs are equal. */
  DOUBLE(5, Double.class, 8, Codec.float64()),
  /** {@link String}, ordered by code point. A text with an unpaired surrogate is refused. */
  TEXT(6, String.class, 0, Codec.string()),
  /** {@link Bytes}, ordered by unsigned bytes. */
  BLOB(7, Bytes.class, 0, Codec.bytes()),
  /** {@link LocalDate}. */
  DATE(8, LocalDate.class, 8, Codec.int64().map(LocalDate::toEpochDay, ColumnType::date)),
  /** {@link LocalTime}, to the nanosecond. */
  TIME(9, LocalTime.class, 8, Codec.int64().map(LocalTime::toNanoOfDay, ColumnType::time)),
  /** {@link LocalDateTime}, to the nanosecond, without a time zone. */
  TIMESTAMP(
      10,
      LocalDateTime.class,
      12,
      instants()
          .map(
              at -> at.toInstant(ZoneOffset.UTC),
              at -> LocalDateTime.ofInstant(at, ZoneOffset.UTC))),
  /** {@link Instant}, to the nanosecond. */
  TIMESTAMPTZ(11, Instant.class, 12, instants());

  private final int number;
  private final Class<?> javaType;
  private final int length;

  @SuppressWarnings("ImmutableEnumChecker") // the codecs here have no state
  private final Codec<?> codec;

  /**
   * Creates a type.
   *
   * @param number identifies the type on disk
   * @param length of all encoded values; 0 if it varies
   */
  <T> ColumnType(int number, Class<T> javaType, int length, Codec<T> codec) {
    this.number = number;
    this.javaType = javaType;
    this.length = length;
    this.codec = codec;
  }

  /** Returns the class of the values. */
  public Class<?> javaType() {
    return javaType;
  }

  /** Returns the number that identifies the type on disk. */
  public int number() {
    return number;
  }

  /** Returns the length of each encoded value in bytes; 0 if it varies. */
  public int length() {
    return length;
  }

  /** Returns the type with a number on disk; empty if there is none. */
  public static Optional<ColumnType> of(int number) {
    return Arrays.stream(values()).filter(type -> type.number == number).findFirst();
  }

  /**
   * Returns the bytes of a value, ordered as values are.
   *
   * @throws IllegalArgumentException if it is of another class
   */
  @SuppressWarnings("unchecked") // the value is of the codec's class
  public Bytes encode(Object value) {
    if (!javaType.isInstance(value)) {
      throw new IllegalArgumentException(
          "a value of type %s must be a %s, not a %s: %.100s"
              .formatted(this, javaType.getSimpleName(), value.getClass().getSimpleName(), value));
    }
    return ((Codec<Object>) codec).encode(value);
  }

  /**
   * Returns the value that some bytes encode.
   *
   * @throws FormatException if there is none
   */
  public Object decode(Bytes bytes) {
    return codec.decode(bytes);
  }

  /**
   * Returns whether a column of this type can change to another. Each value stays the same, or
   * becomes its text.
   */
  public boolean becomes(ColumnType other) {
    return this == other
        || other == TEXT
        || (this == INT && other == BIGINT)
        || (this == FLOAT && other == DOUBLE);
  }

  /** Converts a value of this type to a type that this {@link #becomes}. */
  public Object convert(Object value, ColumnType other) {
    if (this == other) {
      return value;
    }
    return switch (other) {
      case BIGINT -> ((Integer) value).longValue();
      case DOUBLE -> ((Float) value).doubleValue();
      case TEXT -> value instanceof Bytes bytes ? bytes.toUtf8() : value.toString();
      default ->
          throw new FormatException(
              "a value of type %s for a column of type %s".formatted(this, other));
    };
  }

  private interface Put<T> {
    void accept(ByteBuffer out, T value);
  }

  private interface Get<T> {
    T apply(ByteBuffer in);
  }

  private static <T> Codec<T> codec(int length, Put<T> put, Get<T> get) {
    return new Codec<>() {
      @Override
      public Bytes encode(T value) {
        ByteBuffer out = ByteBuffer.allocate(length);
        put.accept(out, value);
        return Bytes.wrap(out.array());
      }

      @Override
      public T decode(Bytes bytes) {
        if (bytes.length() != length) {
          throw new FormatException(
              "a value of this type has %d bytes, not %d".formatted(length, bytes.length()));
        }
        return get.apply(ByteBuffer.wrap(bytes.toArray()));
      }
    };
  }

  private static void putInt(ByteBuffer out, Integer value) {
    out.putInt(value ^ Integer.MIN_VALUE);
  }

  /**
   * Writes a float so that bytes are in the order of values: inverts all bits of negative numbers,
   * and the sign bit of others.
   */
  private static void putFloat(ByteBuffer out, Float value) {
    int bits = Float.floatToIntBits(value);
    out.putInt(bits ^ ((bits >> 31) | Integer.MIN_VALUE));
  }

  private static Float getFloat(ByteBuffer in) {
    int ordered = in.getInt();
    return Float.intBitsToFloat(ordered ^ ((~ordered >> 31) | Integer.MIN_VALUE));
  }

  private static Codec<Instant> instants() {
    return codec(
        12,
        (out, at) -> out.putLong(at.getEpochSecond() ^ Long.MIN_VALUE).putInt(at.getNano()),
        in -> instant(in.getLong() ^ Long.MIN_VALUE, in.getInt()));
  }

  private static Instant instant(long second, int nano) {
    try {
      if (nano < 0 || nano > 999_999_999) {
        throw new FormatException("the nanosecond of a second is out of range: " + nano);
      }
      return Instant.ofEpochSecond(second, nano);
    } catch (DateTimeException e) {
      throw new FormatException("not an instant: second " + second, e);
    }
  }

  private static LocalDate date(long day) {
    try {
      return LocalDate.ofEpochDay(day);
    } catch (DateTimeException e) {
      throw new FormatException("not a date: day " + day, e);
    }
  }

  private static LocalTime time(long nano) {
    try {
      return LocalTime.ofNanoOfDay(nano);
    } catch (DateTimeException e) {
      throw new FormatException("not a time of day: nanosecond " + nano, e);
    }
  }
}
