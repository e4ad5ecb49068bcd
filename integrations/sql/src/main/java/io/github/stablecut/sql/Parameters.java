package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Calendar;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * The values of a query's parameters. A parameter has the type that its context requires. Calcite
 * would truncate values to that type, and interpret dates in UTC; here a value is used exactly or
 * refused.
 */
final class Parameters {
  /** The SQL state of a number outside its type's range. */
  static final String OUT_OF_RANGE = "22003";

  private final PreparedStatement statement;
  private final int index;
  private final ParameterMetaData types;
  private final Object value;
  private final TimeZone zone;

  private Parameters(PreparedStatement statement, int index, Object value, TimeZone zone)
      throws SQLException {
    this.statement = statement;
    this.index = index;
    this.types = statement.getParameterMetaData();
    this.value = value;
    this.zone = zone;
  }

  /**
   * Sets a parameter, if the value is a number, date, time, text or Boolean.
   *
   * @param arguments of a method of the statement: index, value and perhaps a calendar
   * @return whether the parameter was set
   * @throws SQLException if the parameter's type can't hold the value
   */
  static boolean set(PreparedStatement statement, @Nullable Object[] arguments)
      throws SQLException {
    if (!(arguments[0] instanceof Integer index) || arguments[1] == null) {
      return false;
    }
    boolean hasCalendar = arguments.length > 2 && arguments[2] instanceof Calendar;
    TimeZone zone = hasCalendar ? ((Calendar) arguments[2]).getTimeZone() : TimeZone.getDefault();
    return new Parameters(statement, index, arguments[1], zone).set();
  }

  private boolean set() throws SQLException {
    switch (types.getParameterType(index)) {
      case Types.TINYINT -> statement.setByte(index, (byte) whole(Byte.SIZE));
      case Types.SMALLINT -> statement.setShort(index, (short) whole(Short.SIZE));
      case Types.INTEGER -> statement.setInt(index, (int) whole(Integer.SIZE));
      case Types.BIGINT -> statement.setLong(index, whole(Long.SIZE));
      case Types.DECIMAL, Types.NUMERIC -> statement.setBigDecimal(index, decimal());
      case Types.REAL -> statement.setFloat(index, real());
      case Types.FLOAT, Types.DOUBLE -> statement.setDouble(index, number());
      // Calcite computes with days and milliseconds.
      case Types.DATE -> statement.setInt(index, Math.toIntExact(date().toEpochDay()));
      case Types.TIME -> statement.setInt(index, time().get(ChronoField.MILLI_OF_DAY));
      case Types.TIMESTAMP ->
          statement.setLong(index, timestamp().toInstant(ZoneOffset.UTC).toEpochMilli());
      case Types.BOOLEAN -> statement.setBoolean(index, given(Boolean.class));
      case Types.CHAR, Types.VARCHAR -> statement.setString(index, text());
      default -> {
        return false;
      }
    }
    return true;
  }

  private <T> T given(Class<T> type) throws SQLException {
    if (!type.isInstance(value)) {
      throw refused();
    }
    return type.cast(value);
  }

  private SQLException refused() throws SQLException {
    String name = types.getParameterTypeName(index);
    int precision = types.getPrecision(index);
    String type =
        switch (types.getParameterType(index)) {
          case Types.DECIMAL, Types.NUMERIC ->
              "%s(%d, %d)".formatted(name, precision, types.getScale(index));
          case Types.CHAR, Types.VARCHAR ->
              precision > 0 ? "%s(%d)".formatted(name, precision) : name;
          default -> name;
        };
    return new SQLException(
        "parameter %d has the type of its context, %s, which does not hold %s of %s: write CAST(? AS ...) for another type"
            .formatted(index, type, value, value.getClass().getSimpleName()),
        OUT_OF_RANGE);
  }

  /** The value, if it is a finite number. */
  private BigDecimal exact() throws SQLException {
    @Nullable BigDecimal exact = ShownNumbers.exact(given(Number.class));
    if (exact == null) {
      throw refused();
    }
    return exact;
  }

  private long whole(int bits) throws SQLException {
    BigDecimal exact = exact();
    BigInteger whole = exact.toBigInteger();
    if (new BigDecimal(whole).compareTo(exact) != 0 || whole.bitLength() >= bits) {
      throw refused();
    }
    return whole.longValue();
  }

  /** The shortest decimal representation of a DOUBLE or FLOAT. */
  private BigDecimal decimal() throws SQLException {
    BigDecimal exact = exact();
    BigDecimal written =
        value instanceof Double || value instanceof Float
            ? new BigDecimal(value.toString())
            : exact;
    BigDecimal plain = written.stripTrailingZeros();
    int scale = types.getScale(index);
    if (plain.scale() > scale
        || plain.precision() - plain.scale() > types.getPrecision(index) - scale) {
      throw refused();
    }
    return written;
  }

  private float real() throws SQLException {
    float real = given(Number.class).floatValue();
    if (!isSame(real, Float.toString(real))) {
      throw refused();
    }
    return real + 0f;
  }

  private double number() throws SQLException {
    double number = given(Number.class).doubleValue();
    if (!isSame(number, Double.toString(number))) {
      throw refused();
    }
    return number + 0.0;
  }

  /** Whether a binary number equals the value, or its decimal representation does. */
  private boolean isSame(double number, String written) throws SQLException {
    if (value instanceof Double || value instanceof Float) {
      return Double.compare(((Number) value).doubleValue(), number) == 0;
    }
    return Double.isFinite(number)
        && (new BigDecimal(number).compareTo(exact()) == 0
            || new BigDecimal(written).compareTo(exact()) == 0);
  }

  private String text() throws SQLException {
    String text = given(CharSequence.class).toString();
    int length = types.getPrecision(index);
    // Calcite would truncate a longer text and pad a shorter one, which changes a LIKE pattern.
    boolean isChar = types.getParameterType(index) == Types.CHAR;
    if (isChar ? text.length() != length : length > 0 && text.length() > length) {
      throw refused();
    }
    return text;
  }

  private LocalDate date() throws SQLException {
    if (value instanceof LocalDate date) {
      return date;
    }
    LocalDateTime time = timestamp();
    if (!time.toLocalTime().equals(LocalTime.MIDNIGHT)) {
      throw refused();
    }
    return time.toLocalDate();
  }

  private LocalTime time() throws SQLException {
    return millis(
            value instanceof LocalTime time
                ? LocalDate.EPOCH.atTime(time)
                : ShownDates.fields(given(Time.class), zone))
        .toLocalTime();
  }

  private LocalDateTime timestamp() throws SQLException {
    if (value instanceof LocalDateTime time) {
      return millis(time);
    } else if (value instanceof LocalDate date) {
      return date.atStartOfDay();
    } else if (value instanceof Instant time) {
      return millis(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
    } else if (value instanceof OffsetDateTime time) {
      return millis(LocalDateTime.ofInstant(time.toInstant(), ZoneOffset.UTC));
    } else if (value instanceof ZonedDateTime time) {
      return millis(LocalDateTime.ofInstant(time.toInstant(), ZoneOffset.UTC));
    } else if (value instanceof Date date) {
      return ShownDates.fields(date, zone).toLocalDate().atStartOfDay();
    }
    Timestamp time = given(Timestamp.class);
    return millis(ShownDates.fields(time, zone).withNano(time.getNanos()));
  }

  /** A time without digits below the millisecond. */
  private LocalDateTime millis(LocalDateTime time) throws SQLException {
    if (!time.truncatedTo(ChronoUnit.MILLIS).equals(time)) {
      throw new SQLException(
          "parameter %d is %s, but SQL times have only milliseconds here: truncate it"
              .formatted(index, time),
          OUT_OF_RANGE);
    }
    return time;
  }
}
