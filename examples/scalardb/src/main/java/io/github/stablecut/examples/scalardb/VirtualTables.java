package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.VirtualTableInfo;
import com.scalar.db.api.VirtualTableJoinType;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import java.util.List;
import java.util.Optional;

/** The definitions of virtual tables, in a table of the system namespace. Thread-safe. */
final class VirtualTables {
  /** The namespace of the storage's own tables. */
  static final String NAMESPACE = "scalardb";

  private static final Table TABLE =
      Table.named(NAMESPACE, "virtual_tables")
          .partitionKey("namespace", ColumnType.TEXT)
          .clusteringKey("table", ColumnType.TEXT)
          .column("left_namespace", ColumnType.TEXT)
          .column("left_table", ColumnType.TEXT)
          .column("right_namespace", ColumnType.TEXT)
          .column("right_table", ColumnType.TEXT)
          .column("join", ColumnType.TEXT);

  private VirtualTables() {}

  /** The definition of a virtual table. */
  record Info(TableName name, TableName left, TableName right, VirtualTableJoinType join)
      implements VirtualTableInfo {
    @Override
    public String getNamespaceName() {
      return name.namespace();
    }

    @Override
    public String getTableName() {
      return name.table();
    }

    @Override
    public String getLeftSourceNamespaceName() {
      return left.namespace();
    }

    @Override
    public String getLeftSourceTableName() {
      return left.table();
    }

    @Override
    public String getRightSourceNamespaceName() {
      return right.namespace();
    }

    @Override
    public String getRightSourceTableName() {
      return right.table();
    }

    @Override
    public VirtualTableJoinType getJoinType() {
      return join;
    }

    boolean isOuter() {
      return join == VirtualTableJoinType.LEFT_OUTER;
    }
  }

  static void create(TableMap map, Info info) {
    createTable(map);
    map.mutate(
        Put.of(TABLE.key(info.name.namespace(), info.name.table()))
            .value("left_namespace", info.left.namespace())
            .value("left_table", info.left.table())
            .value("right_namespace", info.right.namespace())
            .value("right_table", info.right.table())
            .value("join", info.join.name()));
  }

  private static void createTable(TableMap map) {
    if (map.hasTable(TABLE.name())) {
      return;
    }
    try {
      if (!map.namespaces().contains(NAMESPACE)) {
        map.createNamespace(NAMESPACE);
      }
      map.createTable(TABLE);
    } catch (SchemaException e) {
      if (!map.hasTable(TABLE.name())) {
        throw e;
      }
      // Another process has created it concurrently.
    }
  }

  static void drop(TableMap map, TableName name) {
    map.mutate(Delete.of(TABLE.key(name.namespace(), name.table())));
  }

  static Optional<Info> find(TableMap map, TableReader reader, TableName name) {
    return map.hasTable(TABLE.name())
        ? reader.get(TABLE.key(name.namespace(), name.table())).map(VirtualTables::info)
        : Optional.empty();
  }

  static List<Info> all(TableMap map) {
    return map.hasTable(TABLE.name())
        ? map.scan(TableScan.all(TABLE.name())).toList().stream().map(VirtualTables::info).toList()
        : List.of();
  }

  private static Info info(TableRecord record) {
    return new Info(
        new TableName(text(record, "namespace"), text(record, "table")),
        new TableName(text(record, "left_namespace"), text(record, "left_table")),
        new TableName(text(record, "right_namespace"), text(record, "right_table")),
        VirtualTableJoinType.valueOf(text(record, "join")));
  }

  private static String text(TableRecord record, String column) {
    return record.get(column, String.class).orElseThrow();
  }
}
