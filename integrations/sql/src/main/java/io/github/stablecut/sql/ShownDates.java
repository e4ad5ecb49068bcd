package io.github.stablecut.sql;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.util.ArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * The dates and times of a result as JDBC returns them: in the calendar valid at the time, which
 * was the Julian one until 1582.
 */
final class ShownDates {
  /** The SQL notation of a time. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.MILLI_OF_SECOND, 0, 3, true)
          .toFormatter();

  private static final DateTimeFormatter TIME_OF_DAY =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.MILLI_OF_SECOND, 0, 3, true)
          .toFormatter();

  /**
   * The elements of an array. {@link Array#getArray} takes dates for numbers if none may be null.
   */
  private static final VarHandle ELEMENTS = elements();

  private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

  private ShownDates() {}

  private static VarHandle elements() {
    try {
      return MethodHandles.privateLookupIn(ArrayImpl.class, MethodHandles.lookup())
          .findVarHandle(ArrayImpl.class, "list", List.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Checks the dates in a column.
   *
   * @return the text of the column if it is an array of dates: Calcite converts those before 1582
   *     twice
   * @throws SqlException if SQL lacks the year of one
   */
  static Optional<String> check(ResultSet row, int column) throws SQLException {
    return switch (row.getMetaData().getColumnType(column)) {
      case Types.DATE, Types.TIMESTAMP -> {
        text(row.getObject(column));
        yield Optional.empty();
      }
      case Types.ARRAY -> {
        Array array = row.getArray(column);
        yield hasDates(array) ? Optional.of(text(array)) : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  static List<?> elements(ArrayImpl array) {
    return (List<?>) ELEMENTS.get(array);
  }

  /** Whether a value is a date or time, or an array with some. */
  static boolean hasDates(@Nullable Object value) {
    return value instanceof java.sql.Date
        || value instanceof java.sql.Timestamp
        || value instanceof java.sql.Time
        || (value instanceof ArrayImpl array
            && elements(array).stream().anyMatch(ShownDates::hasDates));
  }

  @CanIgnoreReturnValue
  private static String text(@Nullable Object value) {
    if (value instanceof ArrayImpl array) {
      StringJoiner all = new StringJoiner(", ", "[", "]");
      for (Object element : elements(array)) {
        all.add(text(element));
      }
      return all.toString();
    }
    if (value instanceof java.sql.Date date) {
      return SqlYears.checked("DATE", fields(date, UTC).toLocalDate()).toString();
    }
    if (value instanceof java.sql.Timestamp time) {
      return TIME.format(SqlYears.checked("TIMESTAMP", fields(time, UTC)));
    }
    if (value instanceof java.sql.Time time) {
      return TIME_OF_DAY.format(
          LocalTime.ofNanoOfDay(TimeUnit.MILLISECONDS.toNanos(time.getTime())));
    }
    return String.valueOf(value);
  }

  /** The fields that a date or time shows in a time zone, to the millisecond. */
  @SuppressWarnings("JavaUtilDate") // as JDBC has it
  static LocalDateTime fields(Date date, TimeZone zone) {
    Calendar calendar = new GregorianCalendar(zone);
    calendar.setTimeInMillis(date.getTime());
    int year = calendar.get(Calendar.YEAR);
    return LocalDateTime.of(
            calendar.get(Calendar.ERA) == GregorianCalendar.BC ? 1 - year : year,
            calendar.get(Calendar.MONTH) + 1,
            calendar.get(Calendar.DAY_OF_MONTH),
            calendar.get(Calendar.HOUR_OF_DAY),
            calendar.get(Calendar.MINUTE),
            calendar.get(Calendar.SECOND))
        .with(ChronoField.MILLI_OF_SECOND, calendar.get(Calendar.MILLISECOND));
  }
}
