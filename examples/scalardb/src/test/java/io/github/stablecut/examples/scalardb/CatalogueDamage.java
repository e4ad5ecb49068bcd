package io.github.stablecut.examples.scalardb;

import com.scalar.db.util.AdminTestUtils;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.LwwRecord;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/** Does to the catalogue of tables what damage could do. It is described in docs/map.md. */
final class CatalogueDamage extends AdminTestUtils {
  private static final int PLACE = 1;
  private static final int SCHEMA = 2;

  private final Store store;
  private final TableMap map;

  CatalogueDamage(String suite, Properties coordinator) {
    super(coordinator);
    this.store = SuiteStores.store(suite);
    this.map = TableMap.over(store);
  }

  private static ObjectKey<LwwRecord.Operation, ?> record(TableName name) {
    Bytes key = Bytes.utf8("t" + name.namespace() + "\0\1" + name.table() + "\0\1");
    return Key.withPartitionKey(
        Bytes.utf8("catalogue"), Key.of(Bytes.utf8("map/catalogue"), key, LwwRecord.TYPE));
  }

  private void set(String namespace, String table, int column, Optional<Bytes> value) {
    store.update(
        record(new TableName(namespace, table))
            .update(new LwwRecord.Write(new TreeMap<>(Map.of(column, value)))));
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
    set(namespace, table, SCHEMA, Optional.of(Bytes.utf8("corrupt")));
  }

  @Override
  public void deleteMetadata(String namespace, String table) {
    set(namespace, table, SCHEMA, Optional.empty());
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
    set(namespace, table, PLACE, Optional.empty());
  }

  @Override
  public void close() {
    // The store stays open.
  }
}
