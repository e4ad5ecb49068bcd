package io.github.stablecut.map.internal;

import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds the differences of two tables with the same name. The order of columns outside the key is
 * irrelevant.
 */
final class TableDifferences {
  private TableDifferences() {}

  /**
   * Checks that a table equals the stored one.
   *
   * @throws SchemaException if it differs
   */
  static void check(Table stored, Table expected) {
    List<String> differences = of(stored, expected);
    if (!differences.isEmpty()) {
      throw new SchemaException(
          "table %s is undamaged, and its schema differs from the given one: %s; change it with createIndex, addColumn and the like, or repair it with its own schema"
              .formatted(stored.name(), String.join("; ", differences)));
    }
  }

  private static List<String> of(Table stored, Table expected) {
    List<String> differences = new ArrayList<>();
    if (!stored.partitionKey().equals(expected.partitionKey())) {
      differences.add(
          "its partition key is %s, not %s"
              .formatted(columns(stored.partitionKey()), columns(expected.partitionKey())));
    }
    if (!stored.clusteringKey().equals(expected.clusteringKey())) {
      differences.add(
          "its clustering key is %s, not %s"
              .formatted(clustering(stored.clusteringKey()), clustering(expected.clusteringKey())));
    }
    names(stored.columns(), expected.columns())
        .forEach(name -> column(stored, expected, name, differences));
    Set<String> indexes = new TreeSet<>(stored.indexes());
    indexes.addAll(expected.indexes());
    for (String index : indexes) {
      if (!expected.indexes().contains(index)) {
        differences.add("it has an index on " + index);
      } else if (!stored.indexes().contains(index)) {
        differences.add("it has no index on " + index);
      }
    }
    return differences;
  }

  private static Set<String> names(List<Column> some, List<Column> others) {
    Set<String> names = new TreeSet<>();
    Stream.concat(some.stream(), others.stream()).forEach(column -> names.add(column.name()));
    return names;
  }

  private static void column(Table stored, Table expected, String name, List<String> differences) {
    List<Column> before = named(stored, name);
    List<Column> after = named(expected, name);
    if (before.isEmpty()) {
      differences.add("it has no column " + columns(after));
    } else if (after.isEmpty()) {
      differences.add("it has a column " + columns(before));
    } else if (!before.equals(after)) {
      differences.add("its column %s is not %s".formatted(columns(before), columns(after)));
    }
  }

  private static List<Column> named(Table table, String name) {
    return table.columns().stream().filter(column -> column.name().equals(name)).toList();
  }

  private static String columns(List<Column> columns) {
    return String.join(
        ", ", columns.stream().map(column -> column.name() + " " + column.type()).toList());
  }

  private static String clustering(List<ClusteringColumn> columns) {
    return columns.isEmpty()
        ? "empty"
        : String.join(
            ", ",
            columns.stream()
                .map(
                    one ->
                        "%s %s %s".formatted(one.column().name(), one.column().type(), one.order()))
                .toList());
  }
}
