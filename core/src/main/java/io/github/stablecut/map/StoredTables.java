package io.github.stablecut.map;

import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import io.github.stablecut.map.storage.RecordWriter;

/** Tables in a storage. Thread-safe. */
final class StoredTables extends StoredAccess implements TableMap {
  private final RecordStorage storage;
  private final StoredAdministration administration;

  private StoredTables(RecordStorage storage) {
    super(storage, new Schemas());
    this.storage = storage;
    this.administration = new StoredAdministration(storage, schemas(), this);
  }

  /** The tables in a storage; removes what a crash has left of tables that were dropped. */
  static TableMap over(RecordStorage storage) {
    StoredTables tables = new StoredTables(storage);
    tables.administration.clearDropped();
    return tables;
  }

  static TableAccess access(RecordWriter records) {
    return new StoredAccess(records, new Schemas());
  }

  static TableReader reader(RecordReader records) {
    return new StoredReader(records, new Schemas());
  }

  @Override
  public TableCursor scan(TableScan scan) {
    Schema schema = schemas().of(storage, scan.table());
    RecordSnapshot snapshot = storage.snapshot();
    try {
      return scan(snapshot, schema, scan, snapshot::close);
    } catch (RuntimeException e) {
      snapshot.close();
      throw e;
    }
  }

  @Override
  public TableSnapshot snapshot() {
    return new StoredSnapshot(storage.snapshot(), schemas());
  }

  @Override
  public void createNamespace(String namespace) {
    administration.createNamespace(namespace);
  }

  @Override
  public void dropNamespace(String namespace) {
    administration.dropNamespace(namespace);
  }

  @Override
  public void createTable(Table table) {
    administration.createTable(table);
  }

  @Override
  public void dropTable(TableName name) {
    administration.dropTable(name);
  }

  @Override
  public void truncateTable(TableName name) {
    administration.truncateTable(name);
  }

  @Override
  public boolean hasTable(TableName name) {
    return administration.hasTable(name);
  }

  @Override
  public void renameTable(TableName name, String newName) {
    administration.renameTable(name, newName);
  }

  @Override
  public void addColumn(TableName name, Column column) {
    administration.change(name, new TableChange.Add(column));
  }

  @Override
  public void dropColumn(TableName name, String column) {
    administration.dropColumn(name, column);
  }

  @Override
  public void renameColumn(TableName name, String column, String newName) {
    administration.change(name, new TableChange.Rename(column, newName));
  }

  @Override
  public void changeType(TableName name, String column, ColumnType type) {
    administration.changeType(name, column, type);
  }

  @Override
  public void createIndex(TableName name, String column) {
    administration.createIndex(name, column);
  }

  @Override
  public void dropIndex(TableName name, String column) {
    administration.dropIndex(name, column);
  }

  @Override
  public void repairTable(Table table) {
    administration.repairTable(table);
  }

  @Override
  public void close() {
    storage.close();
  }
}
