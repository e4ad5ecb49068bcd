package io.github.stablecut.examples.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** What Calcite itself computes with less digits, for what it compiles queries to, by name. */
public final class SqlArithmetic {
  private SqlArithmetic() {}

  /**
   * A quotient; Calcite's has 16 digits, whatever its type.
   *
   * @param scale how many digits it has after the point
   * @throws ArithmeticException if the divisor is 0
   */
  public static @Nullable BigDecimal divide(
      @Nullable BigDecimal dividend, @Nullable BigDecimal divisor, int scale) {
    return dividend == null || divisor == null
        ? null
        : dividend.divide(divisor, scale, RoundingMode.HALF_UP);
  }

  /**
   * A logarithm to base 10, exact for powers of 10; Calcite's is a quotient of two logarithms.
   *
   * @throws ArithmeticException if there is none
   */
  public static @Nullable Double log10(@Nullable Double number) {
    if (number != null && number <= 0) {
      throw new ArithmeticException("there is no logarithm of %s".formatted(number));
    }
    return number == null ? null : Math.log10(number);
  }

  /**
   * A whole number for a floating-point number, in the same order: NaN, which is the greatest, has
   * one, and both zeros have the same.
   */
  public static @Nullable Long orderKey(@Nullable Double number) {
    return number == null ? null : mirrored(Double.doubleToLongBits(number + 0.0));
  }

  /** The number of a key. */
  public static @Nullable Double numberOfKey(@Nullable Long key) {
    return key == null ? null : Double.longBitsToDouble(mirrored(key));
  }

  /** Of numbers below 0, the larger ones have the smaller bits. */
  private static long mirrored(long bits) {
    return bits < 0 ? bits ^ Long.MAX_VALUE : bits;
  }
}
