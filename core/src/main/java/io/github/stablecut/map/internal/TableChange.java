package io.github.stablecut.map.internal;

import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A change of a table's schema. Immutable. */
sealed interface TableChange {
  /**
   * Returns the schema after the change.
   *
   * @throws SchemaException if the change is not possible
   */
  Schema apply(Schema before);

  /** Adds a column. */
  record Add(Column column) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      Table table = before.table();
      if (table.find(column.name()).isPresent()) {
        throw new SchemaException(
            "table %s already has a column %s: choose another name"
                .formatted(table.name(), column.name()));
      }
      return before.changed(table.column(column.name(), column.type()));
    }
  }

  /** Removes a column with its index. */
  record Drop(String column) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      Table table = before.table();
      checkOutsideKey(before, column, "dropped");
      List<Column> left =
          table.columns().stream().filter(one -> !one.name().equals(column)).toList();
      return before.changed(
          new Table(
              table.name(),
              table.partitionKey(),
              table.clusteringKey(),
              left,
              without(table.indexes(), column)));
    }
  }

  /** Renames a column. */
  record Rename(String column, String newName) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      Table table = before.table();
      before.column(column);
      if (table.find(newName).isPresent()) {
        throw new SchemaException(
            "table %s already has a column %s: choose another name"
                .formatted(table.name(), newName));
      }
      UnaryOperator<Column> renamed =
          one -> one.name().equals(column) ? new Column(newName, one.type()) : one;
      Set<String> indexes = new HashSet<>(table.indexes());
      if (indexes.remove(column)) {
        indexes.add(newName);
      }
      return new Schema(
          new Table(
              table.name(),
              table.partitionKey().stream().map(renamed).toList(),
              table.clusteringKey().stream()
                  .map(one -> new ClusteringColumn(renamed.apply(one.column()), one.order()))
                  .toList(),
              table.columns().stream().map(renamed).toList(),
              indexes),
          before.id(),
          before.place(),
          renamed(before.columnNumbers()),
          renamed(before.indexNumbers()),
          before.building(),
          before.nextNumber());
    }

    private Map<String, Integer> renamed(Map<String, Integer> numbers) {
      Map<String, Integer> renamed = new HashMap<>(numbers);
      Integer number = renamed.remove(column);
      if (number != null) {
        renamed.put(newName, number);
      }
      return renamed;
    }
  }

  /**
   * Changes the type of a column, and marks its index, whose entries have the old type, to be
   * rebuilt.
   */
  record Retype(String column, ColumnType type) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      Table table = before.table();
      checkOutsideKey(before, column, "changed");
      ColumnType from = before.column(column).type();
      if (!from.becomes(type)) {
        throw new SchemaException(
            "column %s of table %s has the type %s, which can't become %s: INT can become BIGINT, FLOAT can become DOUBLE, and each type can become TEXT"
                .formatted(column, table.name(), from, type));
      }
      List<Column> columns = new ArrayList<>(table.columns());
      columns.replaceAll(one -> one.name().equals(column) ? new Column(column, type) : one);
      Table changed =
          new Table(
              table.name(), table.partitionKey(), table.clusteringKey(), columns, table.indexes());
      return before.changed(changed.indexes(without(table.indexes(), column))).changed(changed);
    }
  }

  /** Adds an index and marks it to be built. An index that is being built stays. */
  record AddIndex(String column) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      before.column(column);
      if (before.usable().indexes().contains(column)) {
        throw new SchemaException(
            "column %s of table %s already has an index: drop it first"
                .formatted(column, before.table().name()));
      }
      return before.changed(before.table().index(column));
    }
  }

  /** Removes an index. */
  record DropIndex(String column) implements TableChange {
    @Override
    public Schema apply(Schema before) {
      Table table = before.table();
      if (!table.indexes().contains(column)) {
        throw new SchemaException(
            "column %s of table %s has no index, only %s"
                .formatted(column, table.name(), table.indexes()));
      }
      return before.changed(table.indexes(without(table.indexes(), column)));
    }
  }

  private static Set<String> without(Set<String> all, String one) {
    Set<String> left = new HashSet<>(all);
    left.remove(one);
    return left;
  }

  private static void checkOutsideKey(Schema before, String column, String what) {
    Column found = before.column(column);
    if (!before.table().columns().contains(found)) {
      throw new SchemaException(
          "column %s of table %s belongs to the key, and can't be %s: create another table"
              .formatted(column, before.table().name(), what));
    }
  }
}
