package io.github.stablecut.map;

/**
 * Creates, changes and removes tables. Each call is durable when it returns. Calls throw {@link
 * SchemaException} if what they need is not there, or what they make is.
 *
 * <p>A table is to be changed while nobody writes to it. A write that has begun before a change,
 * with what the table looked like, may end after it: if the table is dropped or truncated
 * meanwhile, the record may be lost, and its bytes may stay in the storage, where no table shows
 * them; if an index is made ({@link #createIndex}, {@link #changeType}), the index may lack the
 * record, until it is dropped and made again.
 */
public interface TableAdministration {
  /** Makes a namespace, without tables. */
  void createNamespace(String namespace);

  /** Removes a namespace, which has no tables any more. */
  void dropNamespace(String namespace);

  /**
   * Makes a table, without records.
   *
   * @throws IllegalArgumentException if it has no partition key
   */
  void createTable(Table table);

  /** Removes a table with its records. */
  void dropTable(TableName name);

  /** Removes the records of a table. */
  void truncateTable(TableName name);

  /** Whether there is a table, even if damage has taken what it looks like. */
  boolean hasTable(TableName name);

  /** Gives a table another name in its namespace. */
  void renameTable(TableName name, String newName);

  /** Adds a column, which has no value in any record. */
  void addColumn(TableName name, Column column);

  /**
   * Removes a column that is not of the key, and its index. No call shows its values any more, also
   * if a column of that name comes back; their bytes stay in the records until these are deleted,
   * or the table is dropped or truncated.
   */
  void dropColumn(TableName name, String column);

  /** Gives a column another name. */
  void renameColumn(TableName name, String column, String newName);

  /**
   * Gives a column that is not of the key another type: INT becomes BIGINT, FLOAT becomes DOUBLE,
   * and every type TEXT, of BLOB only if all values are texts in UTF-8. A value becomes the text
   * that it has in the type in which it was written: the FLOAT 0.1 is 0.10000000149011612 in a
   * column that is DOUBLE now, and "0.1" once it is TEXT. An index on it is built anew, as by
   * {@link #createIndex}: if that fails, the column has its new type and no index.
   */
  void changeType(TableName name, String column, ColumnType type);

  /**
   * Adds an index on a column, and puts the records into it that are there. Until it has them all,
   * {@link TableReader#table} doesn't show it, and scans by it are refused. If this fails, there is
   * no index; if the process ends meanwhile, the index is completed when tables are opened again.
   */
  void createIndex(TableName name, String column);

  /** Removes an index. */
  void dropIndex(TableName name, String column);

  /**
   * Restores what is missing of a table: its namespace, the place of its records, what it looks
   * like, and indexes that are not complete. Records stay. If it is lost or damaged what the table
   * looked like, it is taken to have been created as it is given; the columns of a table that was
   * changed since have to be given in the order in which they came. Those that came after an index,
   * or after one that is dropped, can't be found again then.
   *
   * @throws SchemaException if it is not lost what the table looks like, and it differs from the
   *     table that is given
   */
  void repairTable(Table table);
}
