package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Arithmetic that Calcite computes with fewer digits; compiled queries call it by name. */
public final class SqlArithmetic {
  private SqlArithmetic() {}

  /**
   * Divides; Calcite's quotient has 16 digits, whatever its type.
   *
   * @param scale the number of digits after the decimal point
   * @throws ArithmeticException if the divisor is 0
   */
  public static @Nullable BigDecimal divide(
      @Nullable BigDecimal dividend, @Nullable BigDecimal divisor, int scale) {
    return dividend == null || divisor == null
        ? null
        : dividend.divide(divisor, scale, RoundingMode.HALF_UP);
  }

  /**
   * A logarithm to base 10, exact for powers of 10; Calcite divides two logarithms.
   *
   * @throws ArithmeticException if the number is not positive
   */
  public static @Nullable Double log10(@Nullable Double number) {
    if (number != null && number <= 0) {
      throw new ArithmeticException("there is no logarithm of %s".formatted(number));
    }
    return number == null ? null : Math.log10(number);
  }

  /**
   * Maps a floating-point number to a whole number of the same order. NaN is the greatest, and both
   * zeros have the same key.
   */
  public static @Nullable Long orderKey(@Nullable Double number) {
    return number == null ? null : mirrored(Double.doubleToLongBits(number + 0.0));
  }

  /** The number of a key. */
  public static @Nullable Double numberOfKey(@Nullable Long key) {
    return key == null ? null : Double.longBitsToDouble(mirrored(key));
  }

  /** Reverses the order of the bits of negative numbers, whose larger ones have smaller bits. */
  private static long mirrored(long bits) {
    return bits < 0 ? bits ^ Long.MAX_VALUE : bits;
  }
}
