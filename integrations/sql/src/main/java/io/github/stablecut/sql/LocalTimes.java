package io.github.stablecut.sql;

import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoField;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Optional;
import java.util.TimeZone;
import org.apache.calcite.avatica.util.ArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * The dates and times of a result as JDBC requires them: a {@link Timestamp} shows the column's
 * value in the time zone of the program or of a calendar. Calcite's shows UTC.
 */
final class LocalTimes {
  private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

  private LocalTimes() {}

  /**
   * The date or time that a method returns; empty if it returns something else.
   *
   * @param method of {@link ResultSet}
   * @param argument the method's argument after the column
   */
  static Optional<Object> of(ResultSet row, int column, String method, @Nullable Object argument)
      throws SQLException {
    if (row.getMetaData().getColumnType(column) == Types.ARRAY
        && (method.equals("getArray") || method.equals("getObject"))) {
      return row.getArray(column) instanceof ArrayImpl array && ShownDates.hasDates(array)
          ? Optional.of(LocalArray.of(array))
          : Optional.empty();
    }
    Class<?> own =
        switch (row.getMetaData().getColumnType(column)) {
          case Types.DATE -> Date.class;
          case Types.TIME -> Time.class;
          case Types.TIMESTAMP -> Timestamp.class;
          default -> Object.class;
        };
    Class<?> requested =
        switch (method) {
          case "getDate" -> Date.class;
          case "getTime" -> Time.class;
          case "getTimestamp" -> Timestamp.class;
          case "getObject" -> argument instanceof Class<?> type ? type : own;
          default -> Object.class;
        };
    if (own == Object.class
        || requested == Object.class
        || !(row.getObject(column) instanceof java.util.Date value)) {
      return Optional.empty();
    }
    TimeZone zone =
        argument instanceof Calendar calendar ? calendar.getTimeZone() : TimeZone.getDefault();
    return shown(ShownDates.fields(value, UTC), own, requested, zone);
  }

  /** A date or time that shows in a time zone what Calcite's shows in UTC. */
  @SuppressWarnings("JavaUtilDate") // as JDBC has it
  static Object in(TimeZone zone, java.util.Date value) {
    return shown(ShownDates.fields(value, UTC), value.getClass(), value.getClass(), zone)
        .orElseThrow();
  }

  private static Optional<Object> shown(
      LocalDateTime fields, Class<?> own, Class<?> requested, TimeZone zone) {
    boolean isDate = own != Time.class;
    boolean isTime = own != Date.class;
    LocalDateTime day = fields.toLocalDate().atStartOfDay();
    if (isDate && requested == LocalDate.class) {
      return Optional.of(fields.toLocalDate());
    } else if (isDate && requested == LocalDateTime.class) {
      return Optional.of(fields);
    } else if (isTime && requested == LocalTime.class) {
      return Optional.of(fields.toLocalTime());
    } else if (isDate && requested == Date.class) {
      return Optional.of(new Date(millis(day, zone)));
    } else if (isDate && requested == Timestamp.class) {
      return Optional.of(new Timestamp(millis(fields, zone)));
    } else if (isTime && requested == Time.class) {
      return Optional.of(new Time(millis(LocalDate.EPOCH.atTime(fields.toLocalTime()), zone)));
    }
    return Optional.empty();
  }

  @SuppressWarnings("JavaUtilDate") // as JDBC has it
  private static long millis(LocalDateTime fields, TimeZone zone) {
    Calendar calendar = new GregorianCalendar(zone);
    calendar.clear();
    calendar.set(
        fields.getYear(),
        fields.getMonthValue() - 1,
        fields.getDayOfMonth(),
        fields.getHour(),
        fields.getMinute(),
        fields.getSecond());
    calendar.set(Calendar.MILLISECOND, fields.get(ChronoField.MILLI_OF_SECOND));
    return calendar.getTimeInMillis();
  }
}
