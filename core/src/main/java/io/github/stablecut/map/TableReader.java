package io.github.stablecut.map;

import java.util.List;
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

  /** All namespaces, in order. */
  List<String> namespaces();

  /** The names of the tables of a namespace, in order. */
  List<String> tables(String namespace);

  /** What a table looks like; empty if there is none, or damage has taken what it looks like. */
  Optional<Table> table(TableName name);
}
