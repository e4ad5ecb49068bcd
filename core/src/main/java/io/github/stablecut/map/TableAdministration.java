package io.github.stablecut.map;

/**
 * Creates, changes and removes tables. Each call is durable when it returns. Calls throw {@link
 * SchemaException} if what they need is missing, or what they create exists.
 *
 * <p>Change a table only while nobody writes to it. A write that began before a change, with the
 * old definition, may end after it. If the table is dropped or truncated meanwhile, the record may
 * be lost, and its bytes may stay in the storage, where no table shows them. If an index is built
 * ({@link #createIndex}, {@link #changeType}), the index may lack the record until it is dropped
 * and created again.
 */
public interface TableAdministration {
  /** Creates a namespace, without tables. */
  void createNamespace(String namespace);

  /** Removes a namespace, which must have no tables. */
  void dropNamespace(String namespace);

  /**
   * Creates a table, without records.
   *
   * @throws IllegalArgumentException if it has no partition key
   */
  void createTable(Table table);

  /** Removes a table with its records. */
  void dropTable(TableName name);

  /** Removes the records of a table. */
  void truncateTable(TableName name);

  /** Returns whether a table exists, even if its definition is lost to damage. */
  boolean hasTable(TableName name);

  /** Renames a table within its namespace. */
  void renameTable(TableName name, String newName);

  /** Adds a column, which has no value in any record. */
  void addColumn(TableName name, Column column);

  /**
   * Removes a column outside the key, and its index. No call shows its values again, even if a
   * column of that name is added later. Their bytes stay in the records until these are deleted, or
   * the table is dropped or truncated.
   */
  void dropColumn(TableName name, String column);

  /** Renames a column. */
  void renameColumn(TableName name, String column, String newName);

  /**
   * Changes the type of a column outside the key: INT becomes BIGINT, FLOAT becomes DOUBLE, and
   * every type becomes TEXT (BLOB only if all values are UTF-8 texts). A value is converted to text
   * from the type in which it was written. The FLOAT 0.1 reads as 0.10000000149011612 while the
   * column is DOUBLE, and as "0.1" once it is TEXT. An index on the column is rebuilt, as by {@link
   * #createIndex}. If that fails, the column has its new type and no index.
   */
  void changeType(TableName name, String column, ColumnType type);

  /**
   * Adds an index on a column, and puts the existing records into it. Until it has them all, {@link
   * TableReader#table} does not show it, and scans by it are refused. If this fails, there is no
   * index. If the process ends meanwhile, the index is completed when the tables are opened again.
   */
  void createIndex(TableName name, String column);

  /** Removes an index. */
  void dropIndex(TableName name, String column);

  /**
   * Restores what is missing of a table: its namespace, the place of its records, its definition,
   * and incomplete indexes. Records stay. If the definition is lost or damaged, the table is
   * assumed to have been created as given. If the table was changed after its creation, list its
   * columns in the order in which they were added. Columns added after an index, or after a column
   * that was dropped, can't be recovered then.
   *
   * @throws SchemaException if the definition is not lost and differs from the given table
   */
  void repairTable(Table table);
}
