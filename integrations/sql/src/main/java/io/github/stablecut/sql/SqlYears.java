package io.github.stablecut.sql;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks of SQL's range of years, and texts of times; compiled queries call the methods by name.
 */
public final class SqlYears {
  private static final long MILLIS_OF_SECOND = 1_000L;
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.ROOT);
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

  private SqlYears() {}

  /**
   * Returns a date within SQL's range.
   *
   * @param date days since 1970
   * @throws SqlException if it is outside, where Calcite would write another date
   */
  public static @Nullable Integer date(@Nullable Integer date) {
    if (date != null) {
      checked("DATE", LocalDate.ofEpochDay(date));
    }
    return date;
  }

  /**
   * Returns a time within SQL's range.
   *
   * @param time milliseconds since 1970
   * @throws SqlException if it is outside, where Calcite would write another time
   */
  public static @Nullable Long timestamp(@Nullable Long time) {
    if (time != null) {
      long second = Math.floorDiv(time, MILLIS_OF_SECOND);
      checked("TIMESTAMP", LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC));
    }
    return time;
  }

  /**
   * The text of a time, with milliseconds unless they are zero.
   *
   * @param time milliseconds since 1970
   * @throws SqlException if it is outside SQL's range of years
   */
  public static @Nullable String timestampText(@Nullable Long time) {
    @Nullable Long checked = timestamp(time);
    if (checked == null) {
      return null;
    }
    LocalDateTime fields = LocalDateTime.ofInstant(Instant.ofEpochMilli(checked), ZoneOffset.UTC);
    return fields.format(DAY) + " " + text(fields.toLocalTime());
  }

  /**
   * The text of a time of day, with milliseconds unless they are zero.
   *
   * @param time milliseconds since midnight
   */
  public static @Nullable String timeText(@Nullable Integer time) {
    return time == null
        ? null
        : text(LocalTime.ofNanoOfDay(TimeUnit.MILLISECONDS.toNanos(time.longValue())));
  }

  private static String text(LocalTime time) {
    return time.format(time.get(ChronoField.NANO_OF_SECOND) == 0 ? SECONDS : MILLIS);
  }

  /**
   * Returns a date or time within SQL's range.
   *
   * @param type of SQL
   * @throws SqlException if it is outside
   */
  @CanIgnoreReturnValue
  static <T extends Temporal> T checked(String type, T value) {
    int year = value.get(ChronoField.YEAR);
    if (year < 1 || year > 9999) {
      throw new SqlException(
          "%s is found, and SQL's %s has the years 1 to 9999: exclude the record or the column"
              .formatted(value, type));
    }
    return value;
  }
}
