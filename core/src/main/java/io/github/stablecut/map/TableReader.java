package io.github.stablecut.map;

import java.util.List;
import java.util.Optional;

/**
 * Reads records. Calls throw {@link SchemaException} if there is no such table or column, and
 * {@link IllegalArgumentException} if a value is not of its column's type.
 */
public interface TableReader {
  /**
   * Reads a record.
   *
   * @param columns the columns to read; none for all columns
   */
  Optional<TableRecord> get(RecordKey key, String... columns);

  /** Returns the records that a scan finds, in its order. */
  TableCursor scan(TableScan scan);

  /** Returns all namespaces, in order. */
  List<String> namespaces();

  /** Returns the names of the tables of a namespace, in order. */
  List<String> tables(String namespace);

  /**
   * Returns a table's definition; empty if there is no such table, or its definition is lost to
   * damage.
   */
  Optional<Table> table(TableName name);
}
