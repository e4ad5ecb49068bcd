package io.github.stablecut.examples.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** What may be cast, for what Calcite compiles queries to; it calls the methods by name. */
public final class SqlCasts {
  private SqlCasts() {}

  /**
   * A number that is finite.
   *
   * @throws SqlException if it is not
   */
  public static @Nullable Double finite(@Nullable Double number) {
    if (number != null && !Double.isFinite(number)) {
      throw infinite(number);
    }
    return number;
  }

  /**
   * A number that is finite.
   *
   * @throws SqlException if it is not
   */
  public static @Nullable Float finiteReal(@Nullable Float number) {
    if (number != null && !Float.isFinite(number)) {
      throw infinite(number);
    }
    return number;
  }

  /**
   * A number rounded as DECIMAL is; Calcite cuts the fraction off for some types.
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
   * A text that has the length.
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
