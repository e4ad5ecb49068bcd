package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The columns of a result, and their values as text. Confined to one thread. */
record Columns(ResultSet found, List<String> names, List<Integer> types) {
  static Columns of(ResultSet found) throws SQLException {
    ResultSetMetaData facts = found.getMetaData();
    List<String> names = new ArrayList<>();
    List<Integer> types = new ArrayList<>();
    for (int i = 1; i <= facts.getColumnCount(); i++) {
      names.add(facts.getColumnLabel(i));
      types.add(facts.getColumnType(i));
    }
    return new Columns(found, names, types);
  }

  int count() {
    return names.size();
  }

  /** Whether a column has numbers. */
  boolean isNumber(int column) {
    return switch (types.get(column)) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.NUMERIC,
          Types.DECIMAL ->
          true;
      default -> false;
    };
  }

  /** The value of a column in the current row as text; null if it has none. */
  @Nullable String text(int column) throws SQLException {
    int type = types.get(column);
    if (type == Types.BINARY || type == Types.VARBINARY) {
      byte[] bytes = found.getBytes(column + 1);
      return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }
    return value(column) instanceof BigDecimal number
        ? number.toPlainString()
        : found.getString(column + 1);
  }

  /** The value of a column in the current row. */
  @Nullable Object value(int column) throws SQLException {
    Object value = found.getObject(column + 1);
    return value instanceof BigDecimal number ? stripped(number) : value;
  }

  /** A number without trailing zeros and without an exponent. */
  private static BigDecimal stripped(BigDecimal number) {
    BigDecimal plain = number.stripTrailingZeros();
    return plain.scale() < 0 ? plain.setScale(0) : plain;
  }
}
