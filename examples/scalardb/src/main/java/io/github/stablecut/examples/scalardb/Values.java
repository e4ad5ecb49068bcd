package io.github.stablecut.examples.scalardb;

import com.scalar.db.io.BigIntColumn;
import com.scalar.db.io.BlobColumn;
import com.scalar.db.io.BooleanColumn;
import com.scalar.db.io.Column;
import com.scalar.db.io.DataType;
import com.scalar.db.io.DateColumn;
import com.scalar.db.io.DoubleColumn;
import com.scalar.db.io.FloatColumn;
import com.scalar.db.io.IntColumn;
import com.scalar.db.io.Key;
import com.scalar.db.io.TextColumn;
import com.scalar.db.io.TimeColumn;
import com.scalar.db.io.TimestampColumn;
import com.scalar.db.io.TimestampTZColumn;
import com.scalar.db.util.ScalarDbUtils;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.ColumnType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Converts ScalarDB's columns and types to those of tables, and back. */
final class Values {
  private Values() {}

  static ColumnType type(DataType type) {
    return ColumnType.valueOf(type.name());
  }

  static DataType type(ColumnType type) {
    return DataType.valueOf(type.name());
  }

  /** A column's value; empty if it is null. */
  static Optional<Object> value(Column<?> column) {
    if (column.hasNullValue()) {
      return Optional.empty();
    }
    return Optional.of(
        column.getDataType() == DataType.BLOB
            ? Bytes.copyOf(column.getBlobValueAsBytes())
            : column.getValueAsObject());
  }

  /** The values of a key, which are never null. */
  static List<Object> values(Key key) {
    return key.getColumns().stream().map(column -> value(column).orElseThrow()).toList();
  }

  /**
   * Converts a value to a column. The column's type is that of the value, which the table has now;
   * ScalarDB's cached metadata may be older.
   *
   * @param type of a null column
   */
  static Column<?> column(String name, DataType type, Optional<Object> value) {
    return value
        .<Column<?>>map(given -> column(name, given))
        .orElseGet(() -> ScalarDbUtils.createNullColumn(name, type));
  }

  private static Column<?> column(String name, Object value) {
    ColumnType type =
        Arrays.stream(ColumnType.values())
            .filter(one -> one.javaType().isInstance(value))
            .findFirst()
            .orElseThrow();
    return switch (type) {
      case BOOLEAN -> BooleanColumn.of(name, (Boolean) value);
      case INT -> IntColumn.of(name, (Integer) value);
      case BIGINT -> BigIntColumn.of(name, (Long) value);
      case FLOAT -> FloatColumn.of(name, (Float) value);
      case DOUBLE -> DoubleColumn.of(name, (Double) value);
      case TEXT -> TextColumn.of(name, (String) value);
      case BLOB -> BlobColumn.of(name, ((Bytes) value).toArray());
      case DATE -> DateColumn.of(name, (LocalDate) value);
      case TIME -> TimeColumn.of(name, (LocalTime) value);
      case TIMESTAMP -> TimestampColumn.of(name, (LocalDateTime) value);
      case TIMESTAMPTZ -> TimestampTZColumn.of(name, (Instant) value);
    };
  }
}
