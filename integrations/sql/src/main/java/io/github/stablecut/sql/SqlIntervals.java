package io.github.stablecut.sql;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import org.jspecify.annotations.Nullable;

/** Checks of interval lengths; compiled queries call the methods by name. */
public final class SqlIntervals {
  private SqlIntervals() {}

  /**
   * Returns an interval of months.
   *
   * @throws SqlException if it exceeds the maximum
   */
  public static @Nullable Integer months(@Nullable Integer interval, long max) {
    return interval == null ? null : (int) checked(interval, max);
  }

  /**
   * Returns an interval of milliseconds.
   *
   * @throws SqlException if it exceeds the maximum
   */
  public static @Nullable Long millis(@Nullable Long interval, long max) {
    return interval == null ? null : (Long) checked(interval, max);
  }

  /**
   * Multiplies an interval of months.
   *
   * @throws SqlException if the product exceeds the maximum
   */
  public static @Nullable Integer monthsTimes(
      @Nullable Integer interval, @Nullable Long factor, long max) {
    return interval == null || factor == null ? null : (int) product(interval, factor, max);
  }

  /**
   * Multiplies an interval of milliseconds.
   *
   * @throws SqlException if the product exceeds the maximum
   */
  public static @Nullable Long millisTimes(
      @Nullable Long interval, @Nullable Long factor, long max) {
    return interval == null || factor == null ? null : (Long) product(interval, factor, max);
  }

  private static long product(long interval, long factor, long max) {
    long product = interval * factor;
    boolean isExact = Math.multiplyHigh(interval, factor) == product >> (Long.SIZE - 1);
    return checked(isExact ? product : Long.MAX_VALUE, max);
  }

  /**
   * Returns an interval.
   *
   * @throws SqlException if it exceeds the maximum
   */
  @CanIgnoreReturnValue
  static long checked(long interval, long max) {
    if (interval > max || interval < -max) {
      throw new SqlException(
          "an interval is too long: the maximum is 20,000 years, in minutes 4,000 years, in seconds 68 years");
    }
    return interval;
  }
}
