package io.github.stablecut.sql;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Converts columns to columns of SQL. Times are UTC with milliseconds, as in Calcite; smaller
 * digits are truncated. SQL has one zero: -0.0 becomes 0.0.
 */
final class SqlTypes {
  private static final int MILLIS = 3;

  private SqlTypes() {}

  /** The type of a column; key columns are never null. */
  static RelDataType of(RelDataTypeFactory types, ColumnType type, boolean isOfKey) {
    RelDataType found =
        switch (type) {
          case BOOLEAN -> types.createSqlType(SqlTypeName.BOOLEAN);
          case INT -> types.createSqlType(SqlTypeName.INTEGER);
          case BIGINT -> types.createSqlType(SqlTypeName.BIGINT);
          case FLOAT -> types.createSqlType(SqlTypeName.REAL);
          case DOUBLE -> types.createSqlType(SqlTypeName.DOUBLE);
          case TEXT -> types.createSqlType(SqlTypeName.VARCHAR);
          case BLOB -> types.createSqlType(SqlTypeName.VARBINARY);
          case DATE -> types.createSqlType(SqlTypeName.DATE);
          case TIME -> types.createSqlType(SqlTypeName.TIME, MILLIS);
          case TIMESTAMP, TIMESTAMPTZ -> types.createSqlType(SqlTypeName.TIMESTAMP, MILLIS);
        };
    return types.createTypeWithNullability(found, !isOfKey);
  }

  /**
   * Converts a value to Calcite's representation.
   *
   * @throws SqlException if it is outside the range of Calcite's type
   */
  static Object value(Column column, Object value) {
    try {
      return switch (column.type()) {
        case BOOLEAN, INT, BIGINT, TEXT -> value;
        case FLOAT -> (float) value + 0f;
        case DOUBLE -> (double) value + 0.0;
        case BLOB -> new ByteString(((Bytes) value).toArray());
        case DATE -> Math.toIntExact(((LocalDate) value).toEpochDay());
        case TIME -> (int) TimeUnit.NANOSECONDS.toMillis(((LocalTime) value).toNanoOfDay());
        case TIMESTAMP -> ((LocalDateTime) value).toInstant(ZoneOffset.UTC).toEpochMilli();
        case TIMESTAMPTZ -> ((Instant) value).toEpochMilli();
      };
    } catch (ArithmeticException e) {
      throw new SqlException(
          "column %s has %s, which is outside the range of SQL's %s: exclude the record or the column"
              .formatted(column.name(), value, column.type()),
          e);
    }
  }
}
