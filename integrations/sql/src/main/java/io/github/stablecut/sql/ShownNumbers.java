package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Refuses numbers of a result that the requested type can't hold. */
final class ShownNumbers {
  private ShownNumbers() {}

  /**
   * Checks a number before a method returns it; a fraction may be truncated.
   *
   * @param method of {@link ResultSet}
   * @throws SQLException if it exceeds the method's type, where Calcite lets it overflow
   */
  static void check(ResultSet row, int column, String method) throws SQLException {
    int bits =
        switch (method) {
          case "getByte" -> Byte.SIZE;
          case "getShort" -> Short.SIZE;
          case "getInt" -> Integer.SIZE;
          case "getLong" -> Long.SIZE;
          default -> 0;
        };
    boolean isFloat = method.equals("getFloat");
    if ((bits > 0 || isFloat) && row.getObject(column) instanceof Number number) {
      if (isFloat ? overflowsFloat(number) : !isWithin(number, bits)) {
        throw new SQLException(
            "%s of column %d: %s is out of range: use getObject or getBigDecimal"
                .formatted(method, column, number),
            Parameters.OUT_OF_RANGE);
      }
    }
  }

  private static boolean overflowsFloat(Number number) {
    return Float.isInfinite(number.floatValue()) && !Double.isInfinite(number.doubleValue());
  }

  private static boolean isWithin(Number number, int bits) {
    @Nullable BigDecimal exact = exact(number);
    return exact != null && exact.toBigInteger().bitLength() < bits;
  }

  /** The exact number; null if it is not finite. */
  static @Nullable BigDecimal exact(Number number) {
    if (number instanceof Double || number instanceof Float) {
      double value = number.doubleValue();
      return Double.isFinite(value) ? new BigDecimal(value) : null;
    }
    return number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
  }
}
