package io.github.stablecut.examples.sql;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The years that SQL has, for what Calcite compiles queries to; it calls the methods by name. */
public final class SqlYears {
  private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
  private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();
  private static final long MILLIS_OF_DAY = 86_400_000L;

  private SqlYears() {}

  /**
   * A date, if SQL has it.
   *
   * @param date days since 1970
   * @throws SqlException if it has not: Calcite would write it as another one
   */
  public static @Nullable Integer date(@Nullable Integer date) {
    if (date != null && (date < FIRST_DAY || date > LAST_DAY)) {
      throw beyond("DATE", LocalDate.ofEpochDay(date));
    }
    return date;
  }

  /**
   * A time, if SQL has it.
   *
   * @param time milliseconds since 1970
   * @throws SqlException if it has not: Calcite would write it as another one
   */
  public static @Nullable Long timestamp(@Nullable Long time) {
    if (time != null) {
      long day = Math.floorDiv(time, MILLIS_OF_DAY);
      if (day < FIRST_DAY || day > LAST_DAY) {
        throw beyond(
            "TIMESTAMP",
            LocalDateTime.ofEpochSecond(Math.floorDiv(time, 1_000L), 0, ZoneOffset.UTC));
      }
    }
    return time;
  }

  private static SqlException beyond(String type, Object value) {
    return new SqlException(
        "%s is found, and SQL's %s has the years 1 to 9999: leave the record out, or the column"
            .formatted(value, type));
  }
}
