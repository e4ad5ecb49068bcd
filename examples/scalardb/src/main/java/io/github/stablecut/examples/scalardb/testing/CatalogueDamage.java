package io.github.stablecut.examples.scalardb.testing;

import com.scalar.db.util.AdminTestUtils;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Damages the catalogue of tables as ScalarDB's administration suites require: truncates it,
 * corrupts it, and removes entries. Confined to one thread.
 */
public final class CatalogueDamage extends AdminTestUtils {
  private static final int ID = 1;
  private static final int SCHEMA = 2;

  private final Store store;
  private final TableMap map;

  /**
   * Creates an instance for the catalogue of a store.
   *
   * @param coordinator ScalarDB's settings, which tell the suites where the coordinator's tables
   *     are
   * @param store has the tables that these settings name; stays open
   */
  public CatalogueDamage(Properties coordinator, Store store) {
    super(coordinator);
    this.store = store;
    this.map = TableMap.over(store);
  }

  private static ObjectKey<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>> record(
      TableName name, char kind, String of) {
    Bytes key = Bytes.utf8("T" + name.namespace() + "\0\1" + kind + of + "\0\1");
    return Key.withPartitionKey(
        Bytes.utf8("catalogue"), Key.of(Bytes.utf8("map/catalogue"), key, LwwRecord.TYPE));
  }

  private ObjectKey<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>> table(
      TableName name) {
    return store
        .readLatest(record(name, 'n', name.table()))
        .map(cells -> record(name, 't', Objects.requireNonNull(cells.get(ID)).toUtf8()))
        .orElseThrow();
  }

  private void set(String namespace, String table, Optional<Bytes> schema) {
    store.update(
        table(new TableName(namespace, table))
            .update(new LwwRecord.Write(new TreeMap<>(Map.of(SCHEMA, schema)))));
  }

  @Override
  public void dropMetadataTable() {
    truncateMetadataTable();
  }

  @Override
  public void truncateMetadataTable() {
    map.namespaces()
        .forEach(
            namespace -> map.tables(namespace).forEach(table -> deleteMetadata(namespace, table)));
  }

  @Override
  public void corruptMetadata(String namespace, String table) {
    set(namespace, table, Optional.of(Bytes.utf8("corrupt")));
  }

  @Override
  public void deleteMetadata(String namespace, String table) {
    set(namespace, table, Optional.empty());
  }

  @Override
  public boolean namespaceExists(String namespace) {
    return map.namespaces().contains(namespace);
  }

  @Override
  public boolean tableExists(String namespace, String table) {
    return map.hasTable(new TableName(namespace, table));
  }

  @Override
  public void dropTable(String namespace, String table) {
    store.update(table(new TableName(namespace, table)).update(new LwwRecord.Reset()));
  }

  @Override
  public void close() {
    // The store stays open.
  }
}
