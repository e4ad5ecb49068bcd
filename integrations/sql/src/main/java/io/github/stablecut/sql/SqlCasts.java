package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Checks of casts; compiled queries call the methods by name. */
public final class SqlCasts {
  private SqlCasts() {}

  /**
   * Returns a finite number.
   *
   * @throws SqlException if it is not finite
   */
  public static @Nullable Double finite(@Nullable Double number) {
    if (number != null && !Double.isFinite(number)) {
      throw infinite(number);
    }
    return number;
  }

  /**
   * Returns a finite number.
   *
   * @throws SqlException if it is not finite
   */
  public static @Nullable Float finiteReal(@Nullable Float number) {
    if (number != null && !Float.isFinite(number)) {
      throw infinite(number);
    }
    return number;
  }

  /**
   * Rounds a number as DECIMAL does; Calcite truncates the fraction for some types.
   *
   * @throws SqlException if it is not finite
   */
  public static @Nullable Double whole(@Nullable Double number) {
    @Nullable Double finite = finite(number);
    return finite == null
        ? null
        : (Double) BigDecimal.valueOf(finite).setScale(0, RoundingMode.HALF_UP).doubleValue();
  }

  private static SqlException infinite(Number number) {
    return new SqlException(
        "%s can't be cast to a whole number or DECIMAL: leave the record out".formatted(number));
  }

  /**
   * Returns a text that fits a length.
   *
   * @throws SqlException if it is longer
   */
  public static @Nullable String text(@Nullable String text, int length) {
    if (text != null && text.length() > length) {
      throw new SqlException("%s is longer than %,d characters".formatted(text, length));
    }
    return text;
  }
}
