package io.github.stablecut.map.internal;

import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TableSnapshot;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;

/** Tables in a storage. Thread-safe. */
public final class StoredTables extends StoredAccess implements TableMap {
  private final RecordStorage storage;
  private final SchemaChanges changes;
  private final StoredAdministration administration;

  private StoredTables(RecordStorage storage, int indexedAtOnce) {
    super(storage, new Schemas());
    this.storage = storage;
    this.changes = new SchemaChanges(storage, schemas(), indexedAtOnce);
    this.administration = new StoredAdministration(storage, schemas(), changes);
  }

  /**
   * Returns the tables in a storage, after finishing administration that a crash or a failure
   * interrupted.
   *
   * @param storage closed if this throws
   */
  public static TableMap over(RecordStorage storage) {
    return over(storage, IndexBuild.MAX_RECORDS);
  }

  /**
   * Returns the tables as {@link #over(RecordStorage)} does.
   *
   * @param indexedAtOnce the maximum number of records that one write puts into an index
   */
  static TableMap over(RecordStorage storage, int indexedAtOnce) {
    try {
      StoredTables tables = new StoredTables(storage, indexedAtOnce);
      tables.administration.finish();
      return tables;
    } catch (RuntimeException | Error e) {
      try {
        storage.close();
      } catch (RuntimeException | Error second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  public static TableReader reader(RecordReader records) {
    return new StoredReader(records, new Schemas());
  }

  /**
   * {@inheritDoc} Uses the table's schema as of the same moment: the table may be truncated or
   * changed meanwhile.
   */
  @Override
  public TableCursor scan(TableScan scan) {
    RecordSnapshot snapshot = storage.snapshot();
    try {
      Schema schema = schemas().of(snapshot, scan.table());
      return scan(snapshot, schema, scan, snapshot::close);
    } catch (RuntimeException | Error e) {
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
    changes.change(name, new TableChange.Add(column));
  }

  @Override
  public void dropColumn(TableName name, String column) {
    changes.change(name, new TableChange.Drop(column));
  }

  @Override
  public void renameColumn(TableName name, String column, String newName) {
    changes.change(name, new TableChange.Rename(column, newName));
  }

  @Override
  public void changeType(TableName name, String column, ColumnType type) {
    changes.change(name, new TableChange.Retype(column, type));
  }

  @Override
  public void createIndex(TableName name, String column) {
    changes.change(name, new TableChange.AddIndex(column));
  }

  @Override
  public void dropIndex(TableName name, String column) {
    changes.change(name, new TableChange.DropIndex(column));
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
