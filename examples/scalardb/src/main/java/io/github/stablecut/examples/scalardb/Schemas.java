package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.Scan;
import com.scalar.db.api.TableMetadata;
import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableName;

/** Converts ScalarDB's table metadata to tables, and back. */
final class Schemas {
  private Schemas() {}

  static Table table(TableName name, TableMetadata metadata) {
    Table table = Table.named(name);
    for (String column : metadata.getPartitionKeyNames()) {
      table = table.partitionKey(column, Values.type(metadata.getColumnDataType(column)));
    }
    for (String column : metadata.getClusteringKeyNames()) {
      SortOrder order =
          metadata.getClusteringOrder(column) == Scan.Ordering.Order.DESC
              ? SortOrder.DESCENDING
              : SortOrder.ASCENDING;
      table = table.clusteringKey(column, Values.type(metadata.getColumnDataType(column)), order);
    }
    for (String column : metadata.getColumnNames()) {
      if (table.find(column).isEmpty()) {
        table = table.column(column, Values.type(metadata.getColumnDataType(column)));
      }
    }
    for (String column : metadata.getSecondaryIndexNames()) {
      table = table.index(column);
    }
    return table;
  }

  static TableMetadata metadata(Table table) {
    TableMetadata.Builder builder = TableMetadata.newBuilder();
    for (Column column : table.allColumns()) {
      builder.addColumn(column.name(), Values.type(column.type()));
    }
    for (Column column : table.partitionKey()) {
      builder.addPartitionKey(column.name());
    }
    for (ClusteringColumn column : table.clusteringKey()) {
      builder.addClusteringKey(
          column.column().name(),
          column.order() == SortOrder.DESCENDING
              ? Scan.Ordering.Order.DESC
              : Scan.Ordering.Order.ASC);
    }
    table.indexes().forEach(builder::addSecondaryIndex);
    return builder.build();
  }

  /**
   * The metadata of a virtual table: the common key, the columns of the left source, and those of
   * the right one.
   */
  static TableMetadata joined(TableMetadata left, TableMetadata right) {
    TableMetadata.Builder builder = TableMetadata.newBuilder(left);
    for (String column : right.getColumnNames()) {
      if (!left.getColumnNames().contains(column)) {
        builder.addColumn(column, right.getColumnDataType(column));
      }
    }
    right.getSecondaryIndexNames().forEach(builder::addSecondaryIndex);
    return builder.build();
  }
}
