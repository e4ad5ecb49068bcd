package io.github.stablecut.map;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The definition of a table. A primary key identifies each record: records with the same partition
 * key are stored together, ordered by their clustering key. Immutable: each method returns a new
 * table.
 *
 * <pre>{@code
 * Table accounts =
 *     Table.named("bank", "accounts")
 *         .partitionKey("owner", ColumnType.TEXT)
 *         .clusteringKey("number", ColumnType.INT)
 *         .column("balance", ColumnType.BIGINT)
 *         .index("balance");
 * }</pre>
 *
 * @param partitionKey one column or more
 * @param clusteringKey empty if each partition has one record
 * @param columns the columns outside the key
 * @param indexes the columns with an index
 */
public record Table(
    TableName name,
    List<Column> partitionKey,
    List<ClusteringColumn> clusteringKey,
    List<Column> columns,
    Set<String> indexes) {
  /** The maximum number of columns of a table. */
  public static final int MAX_COLUMNS = 10_000;

  /**
   * Copies the lists.
   *
   * @throws IllegalArgumentException if two columns have the same name, or an index names no column
   */
  public Table {
    Objects.requireNonNull(name, "name");
    partitionKey = List.copyOf(partitionKey);
    clusteringKey = List.copyOf(clusteringKey);
    columns = List.copyOf(columns);
    indexes = Set.copyOf(new TreeSet<>(indexes));
    Set<String> names = new HashSet<>();
    all(partitionKey, clusteringKey, columns)
        .forEach(
            column -> {
              if (!names.add(column.name())) {
                throw new IllegalArgumentException(
                    "two columns are called %s: give each column of a table its own name"
                        .formatted(column.name()));
              }
            });
    if (names.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "a table has at most %,d columns, not %,d".formatted(MAX_COLUMNS, names.size()));
    }
    for (String index : indexes) {
      if (!names.contains(index)) {
        throw new IllegalArgumentException(
            "the index on %s is on no column: name the column first".formatted(index));
      }
    }
  }

  /** Returns a table without columns. */
  public static Table named(String namespace, String table) {
    return named(new TableName(namespace, table));
  }

  /** Returns a table without columns. */
  public static Table named(TableName name) {
    return new Table(name, List.of(), List.of(), List.of(), Set.of());
  }

  /** Adds a column to the partition key. */
  public Table partitionKey(String column, ColumnType type) {
    return new Table(
        name, with(partitionKey, new Column(column, type)), clusteringKey, columns, indexes);
  }

  /** Adds a column to the clustering key, ascending. */
  public Table clusteringKey(String column, ColumnType type) {
    return clusteringKey(column, type, SortOrder.ASCENDING);
  }

  /** Adds a column to the clustering key. */
  public Table clusteringKey(String column, ColumnType type, SortOrder order) {
    return new Table(
        name,
        partitionKey,
        with(clusteringKey, new ClusteringColumn(new Column(column, type), order)),
        columns,
        indexes);
  }

  /** Adds a column outside the key. */
  public Table column(String column, ColumnType type) {
    return new Table(
        name, partitionKey, clusteringKey, with(columns, new Column(column, type)), indexes);
  }

  /**
   * Adds an index on a column. Indexed values are limited to smaller sizes than others: in a store,
   * an indexed value and the key of its record together have at most slightly less than 32 KiB.
   */
  public Table index(String column) {
    Set<String> more = new HashSet<>(indexes);
    more.add(column);
    return new Table(name, partitionKey, clusteringKey, columns, more);
  }

  /** Returns the table with other indexes. */
  public Table indexes(Set<String> others) {
    return new Table(name, partitionKey, clusteringKey, columns, others);
  }

  private static <T> List<T> with(List<T> list, T further) {
    List<T> more = new ArrayList<>(list);
    more.add(further);
    return more;
  }

  /**
   * Returns the key of a record: the values of the partition key and of the clustering key, in
   * order.
   */
  public RecordKey key(Object... values) {
    int all = partitionKey.size() + clusteringKey.size();
    if (values.length != all) {
      throw new IllegalArgumentException(
          "a key of %s has %d values, not %d: %s"
              .formatted(name, all, values.length, Arrays.toString(values)));
    }
    List<Object> list = List.of(values);
    return new RecordKey(
        name, list.subList(0, partitionKey.size()), list.subList(partitionKey.size(), all));
  }

  /** Returns a column by its name, whether of the key or not. */
  public Optional<Column> find(String column) {
    return all(partitionKey, clusteringKey, columns)
        .filter(one -> one.name().equals(column))
        .findFirst();
  }

  /** Returns the columns of the key, then the others. */
  public List<Column> allColumns() {
    return all(partitionKey, clusteringKey, columns).toList();
  }

  private static Stream<Column> all(
      List<Column> partitionKey, List<ClusteringColumn> clusteringKey, List<Column> columns) {
    return Stream.of(
            partitionKey.stream(),
            clusteringKey.stream().map(ClusteringColumn::column),
            columns.stream())
        .flatMap(list -> list);
  }
}
