package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.tools.PointInTime;
import java.util.Optional;

/**
 * The definitions of a store's tables as JSON.
 *
 * <pre>
 *   {"time": "…", "token": "…", "tables": [{"namespace": "bank", "table": "accounts", "columns":
 *     [{"column": "owner", "type": "TEXT", "key": "partition"},
 *      {"column": "number", "type": "INT", "key": "clustering", "descending": true},
 *      {"column": "balance", "type": "BIGINT", "indexed": true}]} …]}
 * </pre>
 *
 * <p>A table whose definition is lost to damage has no columns and {@code "damaged": true}.
 */
public final class TableDefinitions {
  private TableDefinitions() {}

  /**
   * Lists all tables.
   *
   * @param at a time in the format of {@link PointInTime}; empty for now
   * @throws io.github.stablecut.error.UsageException if the time is wrong
   */
  public static String list(Store store, Optional<String> at) {
    Snapshot snapshot =
        at.map(text -> PointInTime.snapshot(store, text)).orElseGet(store::snapshot);
    TableReader reader = TableMap.at(snapshot);
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("time", snapshot.token().time().toString());
    list.put("token", snapshot.token().toText());
    ArrayNode tables = list.putArray("tables");
    for (String namespace : reader.namespaces()) {
      for (String name : reader.tables(namespace)) {
        ObjectNode table = tables.addObject().put("namespace", namespace).put("table", name);
        ArrayNode columns = table.putArray("columns");
        reader
            .table(new TableName(namespace, name))
            .ifPresentOrElse(known -> write(known, columns), () -> table.put("damaged", true));
      }
    }
    return list + "\n";
  }

  private static void write(Table table, ArrayNode columns) {
    table.partitionKey().forEach(one -> add(columns, one).put("key", "partition"));
    for (ClusteringColumn one : table.clusteringKey()) {
      ObjectNode column = add(columns, one.column()).put("key", "clustering");
      if (one.order() == SortOrder.DESCENDING) {
        column.put("descending", true);
      }
    }
    table.columns().forEach(one -> add(columns, one));
    for (int i = 0; i < columns.size(); i++) {
      ObjectNode column = (ObjectNode) columns.get(i);
      if (table.indexes().contains(column.path("column").asText())) {
        column.put("indexed", true);
      }
    }
  }

  @CanIgnoreReturnValue
  private static ObjectNode add(ArrayNode columns, Column column) {
    return columns.addObject().put("column", column.name()).put("type", column.type().name());
  }
}
