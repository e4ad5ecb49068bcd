package io.github.stablecut.examples.sql;

import org.jspecify.annotations.Nullable;

/**
 * Intervals that are short enough, for what Calcite compiles queries to; it calls the methods by
 * name.
 */
public final class SqlIntervals {
  private SqlIntervals() {}

  /**
   * An interval of months.
   *
   * @throws SqlException if it is longer than the greatest
   */
  public static @Nullable Integer months(@Nullable Integer interval, long max) {
    return interval == null ? null : (int) checked(interval, max);
  }

  /**
   * An interval of milliseconds.
   *
   * @throws SqlException if it is longer than the greatest
   */
  public static @Nullable Long millis(@Nullable Long interval, long max) {
    return interval == null ? null : (Long) checked(interval, max);
  }

  /**
   * A product.
   *
   * @throws SqlException if it is longer than the greatest
   */
  public static @Nullable Integer monthsTimes(
      @Nullable Integer interval, @Nullable Long factor, long max) {
    return interval == null || factor == null ? null : (int) product(interval, factor, max);
  }

  /**
   * A product.
   *
   * @throws SqlException if it is longer than the greatest
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
   * An interval.
   *
   * @throws SqlException if it is longer than the greatest
   */
  static long checked(long interval, long max) {
    if (interval > max || interval < -max) {
      throw new SqlException(
          "an interval is too long: they have up to 20,000 years, of minutes 4,000, of seconds 68");
    }
    return interval;
  }
}
