package io.github.stablecut.sql;

import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.StoredObject;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.UnreadableValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * All objects of a snapshot, of any type: bucket, key, type, the value as text, and as a number if
 * it is one. They include the objects that store the records of tables.
 */
final class ObjectsTable extends AbstractTable implements ScannableTable {
  private final Snapshot snapshot;

  ObjectsTable(Snapshot snapshot) {
    this.snapshot = snapshot;
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory types) {
    return types
        .builder()
        .add("bucket", SqlTypeName.VARCHAR)
        .add("key", SqlTypeName.VARCHAR)
        .add("type", SqlTypeName.VARCHAR)
        .add("value", SqlTypeName.VARCHAR)
        .add("number", SqlTypeName.DECIMAL, SqlTypeSystem.SUM_PRECISION, 0)
        .nullable(true)
        .build();
  }

  @Override
  public Enumerable<@Nullable Object[]> scan(DataContext context) {
    return CursorRows.of(snapshot::scan, Scan::close, ObjectsTable::row);
  }

  private static @Nullable Object[] row(StoredObject object) {
    Object value = UnreadableValue.orSum(object::value);
    return new @Nullable Object[] {
      object.bucket().toUtf8(),
      object.key().toUtf8(),
      object.type().name(),
      text(value),
      number(value)
    };
  }

  /** The value as a number; a counter's sum beyond {@code long} is a {@code BigInteger}. */
  private static @Nullable BigDecimal number(Object value) {
    return value instanceof Long || value instanceof BigInteger
        ? new BigDecimal(value.toString())
        : null;
  }

  private static @Nullable String text(Object value) {
    if (value instanceof Optional<?> register) {
      return register.map(ObjectsTable::text).orElse(null);
    }
    return value instanceof Bytes bytes ? bytes.toUtf8() : value.toString();
  }
}
