package io.github.stablecut.examples.sql;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** What Calcite itself computes with less digits, for what it compiles queries to, by name. */
public final class SqlArithmetic {
  /** Twice the digits of a DECIMAL, so that rounding to its scale is that of the quotient. */
  private static final MathContext DIGITS = new MathContext(76, RoundingMode.HALF_UP);

  private SqlArithmetic() {}

  /**
   * A quotient; Calcite's has 16 digits.
   *
   * @throws ArithmeticException if the divisor is 0
   */
  public static @Nullable BigDecimal divide(
      @Nullable BigDecimal dividend, @Nullable BigDecimal divisor) {
    return dividend == null || divisor == null ? null : dividend.divide(divisor, DIGITS);
  }
}
