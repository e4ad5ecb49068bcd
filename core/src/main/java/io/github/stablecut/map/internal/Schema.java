package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A table's stored schema: the number of each column outside the key in the cells, and the places
 * of records and indexes. Numbers are never reused, so names may change and come back. Immutable.
 *
 * <p>A cell is the number of the type in which the value was written, then the value's bytes. If
 * the column's type has changed since, the value is converted on reading.
 *
 * @param id the id of the table, in the namespace of its name
 * @param place the space of the table's records and of its index entries, whose leads begin with
 *     the index's number
 * @param columnNumbers by name
 * @param indexNumbers by name of the column
 * @param building the numbers of indexes that writers maintain, but that lack some records, so that
 *     readers don't use them
 * @param nextNumber the number of the next column or index
 */
record Schema(
    Table table,
    TableId id,
    Bytes place,
    Map<String, Integer> columnNumbers,
    Map<String, Integer> indexNumbers,
    Set<Integer> building,
    int nextNumber) {
  Schema {
    columnNumbers = Map.copyOf(columnNumbers);
    indexNumbers = Map.copyOf(indexNumbers);
    building = Set.copyOf(building);
  }

  /** Returns the schema of a new table, without records, whose id is its first place. */
  static Schema of(Table table, Bytes place) {
    TableId id = new TableId(table.name().namespace(), place.toUtf8());
    return unbuilt(table, id, place).building(Set.of());
  }

  /** Returns the schema of a table whose records exist and whose indexes are still to be built. */
  static Schema unbuilt(Table table, TableId id, Bytes place) {
    return new Schema(table, id, place, Map.of(), Map.of(), Set.of(), 1).changed(table);
  }

  /**
   * Returns this schema with another table definition. New columns and indexes get new numbers, and
   * new indexes are marked to be built.
   */
  Schema changed(Table other) {
    int next = nextNumber;
    Map<String, Integer> columns = new LinkedHashMap<>();
    for (Column column : other.columns()) {
      Integer known = columnNumbers.get(column.name());
      columns.put(column.name(), known == null ? next++ : known);
    }
    Map<String, Integer> indexes = new LinkedHashMap<>();
    Set<Integer> incomplete = new HashSet<>();
    for (String column : other.indexes().stream().sorted().toList()) {
      Integer known = indexNumbers.get(column);
      int number = known == null ? next++ : known;
      indexes.put(column, number);
      if (known == null || building.contains(number)) {
        incomplete.add(number);
      }
    }
    return new Schema(other, id, place, columns, indexes, incomplete, next);
  }

  /** Returns this schema with other indexes being built. */
  Schema building(Set<Integer> numbers) {
    return new Schema(table, id, place, columnNumbers, indexNumbers, numbers, nextNumber);
  }

  /** Returns the table with only the indexes that are complete. */
  Table usable() {
    if (building.isEmpty()) {
      return table;
    }
    Set<String> complete = new HashSet<>(table.indexes());
    complete.removeIf(column -> building.contains(indexNumber(column)));
    return table.indexes(complete);
  }

  int indexNumber(String column) {
    Integer number = indexNumbers.get(column);
    if (number == null) {
      throw new SchemaException(
          "column %s of table %s has no index: create it, or scan with a comparison"
              .formatted(column, table.name()));
    }
    return number;
  }

  /** Checks that an index is complete. */
  void checkUsable(String column) {
    if (building.contains(indexNumber(column))) {
      throw new SchemaException(
          "the index on column %s of table %s is being built: scan with a comparison until it is complete; after a failure, createIndex completes it"
              .formatted(column, table.name()));
    }
  }

  /** Returns the prefix of the leads of all entries of an index. */
  static Bytes index(int number) {
    return Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  @CanIgnoreReturnValue
  Column column(String name) {
    return table
        .find(name)
        .orElseThrow(
            () ->
                new SchemaException(
                    "table %s has no column %s, only %s".formatted(table.name(), name, names())));
  }

  private List<String> names() {
    return table.allColumns().stream().map(Column::name).toList();
  }

  List<KeyCodec.KeyColumn> partitionParts() {
    return table.partitionKey().stream()
        .map(column -> new KeyCodec.KeyColumn(column.type(), false))
        .toList();
  }

  List<KeyCodec.KeyColumn> clusteringParts() {
    return table.clusteringKey().stream()
        .map(
            column ->
                new KeyCodec.KeyColumn(
                    column.column().type(), column.order() == SortOrder.DESCENDING))
        .toList();
  }

  RecordId id(RecordKey key) {
    if (key.clustering().size() != table.clusteringKey().size()) {
      throw new IllegalArgumentException(
          "the clustering key of %s has %d values, not %d: %s"
              .formatted(
                  table.name(),
                  table.clusteringKey().size(),
                  key.clustering().size(),
                  key.clustering()));
    }
    return RecordId.of(
        place, partition(key.partition()), KeyCodec.encode(clusteringParts(), key.clustering()));
  }

  Bytes partition(List<Object> values) {
    if (values.size() != table.partitionKey().size()) {
      throw new IllegalArgumentException(
          "the partition key of %s has %d values, not %d: %s"
              .formatted(table.name(), table.partitionKey().size(), values.size(), values));
    }
    return KeyCodec.encode(partitionParts(), values);
  }

  private RecordKey key(RecordId id) {
    return new RecordKey(
        table.name(),
        KeyCodec.decode(partitionParts(), id.partition()),
        KeyCodec.decode(clusteringParts(), id.rest()));
  }

  /** Returns the number of a column outside the key. */
  int number(String column) {
    Integer number = columnNumbers.get(column);
    if (number == null) {
      column(column);
      throw new IllegalArgumentException(
          "column %s belongs to the key of %s and can't be changed: delete the record, and put another"
              .formatted(column, table.name()));
    }
    return number;
  }

  /** Returns the cell of a value. */
  @CanIgnoreReturnValue
  static Bytes cell(Column column, Object value) {
    Bytes type = Bytes.wrap(new byte[] {(byte) column.type().number()});
    try {
      return KeyCodec.join(type, column.type().encode(value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(named(column, e), e);
    } catch (ValueRefusedException e) {
      throw new ValueRefusedException(named(column, e), e);
    }
  }

  private static String named(Column column, RuntimeException refusal) {
    return "column %s: %s".formatted(column.name(), refusal.getMessage());
  }

  private static Object value(Column column, Bytes cell) {
    if (cell.length() == 0) {
      throw new FormatException("a cell of column %s has no type".formatted(column.name()));
    }
    ColumnType type =
        ColumnType.of(cell.at(0))
            .orElseThrow(
                () ->
                    new FormatException(
                        "column %s: no type has number %d".formatted(column.name(), cell.at(0))));
    return type.convert(type.decode(cell.slice(1, cell.length())), column.type());
  }

  /** Returns a record with all or some of its columns. */
  TableRecord record(RecordEntry entry, List<String> columns) {
    RecordKey key = key(entry.id());
    Map<String, Optional<Object>> values = new LinkedHashMap<>();
    for (Column column :
        columns.isEmpty() ? table.allColumns() : columns.stream().map(this::column).toList()) {
      values.put(column.name(), value(key, entry.cells(), column));
    }
    return new TableRecord(key, values);
  }

  /** Returns the value of a column of a record. */
  Optional<Object> value(RecordEntry entry, Column column) {
    return value(key(entry.id()), entry.cells(), column);
  }

  private Optional<Object> value(RecordKey key, Cells cells, Column column) {
    Integer number = columnNumbers.get(column.name());
    if (number != null) {
      return cells.get(number).map(cell -> value(column, cell));
    }
    int inPartition = table.partitionKey().indexOf(column);
    if (inPartition >= 0) {
      return Optional.of(key.partition().get(inPartition));
    }
    int place = 0;
    while (!table.clusteringKey().get(place).column().equals(column)) {
      place++;
    }
    return Optional.of(key.clustering().get(place));
  }

  /** Returns the index entry of a record; empty if the column has no value. */
  Optional<RecordId> indexEntry(String column, RecordEntry entry) {
    Column indexed = column(column);
    return value(entry, indexed)
        .map(
            value ->
                new RecordId(
                    place, lead(indexed, value), entry.id().partition(), entry.id().rest()));
  }

  /** Returns the lead of an index's entries for a value. */
  Bytes lead(Column column, Object value) {
    Bytes encoded =
        KeyCodec.encode(List.of(new KeyCodec.KeyColumn(column.type(), false)), List.of(value));
    return KeyCodec.join(index(indexNumber(column.name())), encoded);
  }

  /** Returns whether all comparisons hold for a record. */
  boolean holds(RecordEntry entry, List<Comparison> comparisons) {
    return comparisons.stream().allMatch(comparison -> holds(entry, comparison));
  }

  private boolean holds(RecordEntry entry, Comparison comparison) {
    Column column = column(comparison.column());
    Optional<Object> found = value(entry, column);
    if (comparison.value().isEmpty()) {
      return found.isEmpty() == (comparison.operator() == Comparison.Operator.IS_NULL);
    }
    if (found.isEmpty()) {
      return false;
    }
    int order =
        column.type().encode(found.get()).compareTo(column.type().encode(comparison.value().get()));
    return switch (comparison.operator()) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case AT_MOST -> order <= 0;
      case GREATER -> order > 0;
      case AT_LEAST -> order >= 0;
      case IS_NULL, IS_NOT_NULL -> throw new IllegalStateException(comparison + " has a value");
    };
  }

  /** Checks comparisons before anything is read. */
  void check(List<Comparison> comparisons) {
    for (Comparison comparison : comparisons) {
      Column column = column(comparison.column());
      comparison.value().ifPresent(value -> cell(column, value));
    }
  }
}
