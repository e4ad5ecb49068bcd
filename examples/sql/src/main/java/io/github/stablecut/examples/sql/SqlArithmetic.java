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
}
