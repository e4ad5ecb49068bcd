package io.github.stablecut.map;

import java.util.Optional;

/**
 * What records are read from. Calls throw {@link SchemaException} if there is no such table or
 * column, and {@link IllegalArgumentException} if a value is not of its column's type.
 */
public interface TableReader {
  /**
   * A record.
   *
   * @param columns what is read of it; none for all columns
   */
  Optional<TableRecord> get(RecordKey key, String... columns);

  /** The records that a scan finds, in its order. */
  TableCursor scan(TableScan scan);
}
