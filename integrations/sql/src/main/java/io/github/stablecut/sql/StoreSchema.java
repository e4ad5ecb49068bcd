package io.github.stablecut.sql;

import io.github.stablecut.Snapshot;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.impl.AbstractSchema;

/** The schemas of a snapshot: one per namespace, and one of all objects. */
final class StoreSchema {
  /** The schema of the table of all objects. */
  static final String OWN = "stablecut";

  private static final String OBJECTS = "objects";

  private final Snapshot snapshot;
  private final TableReader tables;

  StoreSchema(Snapshot snapshot) {
    this(snapshot, TableMap.at(snapshot));
  }

  /**
   * @param tables of the snapshot
   */
  StoreSchema(Snapshot snapshot, TableReader tables) {
    this.snapshot = snapshot;
    this.tables = tables;
  }

  void addTo(SchemaPlus root) {
    tables
        .namespaces()
        .forEach(namespace -> root.add(namespace, new Namespace(recordsOf(namespace))));
    if (root.subSchemas().get(OWN) == null) {
      root.add(OWN, new Namespace(Map.of()));
    }
    root.subSchemas().get(OWN).add(objects(tables), new ObjectsTable(snapshot));
  }

  /** The name of the table of all objects, which yields to a user's table of that name. */
  static String objects(TableReader tables) {
    String name = OBJECTS;
    while (tables.table(new TableName(OWN, name)).isPresent()) {
      name = "all_" + name;
    }
    return name;
  }

  private Map<String, Table> recordsOf(String namespace) {
    Map<String, Table> found = new LinkedHashMap<>();
    for (String name : tables.tables(namespace)) {
      // A table whose definition is lost can't be queried until it is repaired.
      tables
          .table(new TableName(namespace, name))
          .ifPresent(table -> found.put(name, new RecordsTable(tables, table)));
    }
    return found;
  }

  private static final class Namespace extends AbstractSchema {
    private final Map<String, Table> tables;

    Namespace(Map<String, Table> tables) {
      this.tables = tables;
    }

    @Override
    protected Map<String, Table> getTableMap() {
      return tables;
    }

    @Override
    public boolean isMutable() {
      return false;
    }
  }
}
