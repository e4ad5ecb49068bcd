package io.github.stablecut.console;

import io.github.stablecut.Snapshot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.WebException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers requests about the tables of a store, now or at a time in the past: their columns and
 * indexes, and their first rows, all or those with a value in an index. Thread-safe.
 */
final class TableBrowser {
  private static final int ROWS = 100;
  private static final int MAX_NAME = 1_000;
  private static final int MAX_VALUE = 10_000;

  private final ConsoleSource source;

  TableBrowser(ConsoleSource source) {
    this.source = source;
  }

  /** The tables with their columns. */
  Object tables(Arguments arguments) {
    Snapshot snapshot = RequestParameters.snapshot(source.store(), arguments);
    TableReader reader = TableMap.at(snapshot);
    List<Object> tables = new ArrayList<>();
    for (String namespace : reader.namespaces()) {
      for (String name : reader.tables(namespace)) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("namespace", namespace);
        shown.put("table", name);
        shown.put(
            "columns",
            reader
                .table(new TableName(namespace, name))
                .map(TableBrowser::columns)
                .orElse(List.of()));
        tables.add(shown);
      }
    }
    return Map.of("time", snapshot.token().time().toEpochMilli(), "tables", tables);
  }

  private static List<Object> columns(Table table) {
    List<Object> columns = new ArrayList<>();
    for (Column column : table.allColumns()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("column", column.name());
      shown.put("type", column.type().name());
      shown.put("key", key(table, column));
      shown.put("indexed", table.indexes().contains(column.name()));
      columns.add(shown);
    }
    return columns;
  }

  private static String key(Table table, Column column) {
    if (table.partitionKey().contains(column)) {
      return "partition key";
    }
    return table.clusteringKey().stream()
        .filter(one -> one.column().equals(column))
        .map(
            one ->
                one.order() == SortOrder.DESCENDING
                    ? "clustering key, descending"
                    : "clustering key")
        .findFirst()
        .orElse("");
  }

  /** The first rows of a table; with a column that has an index, those with a value in it. */
  Object rows(Arguments arguments) {
    Snapshot snapshot = RequestParameters.snapshot(source.store(), arguments);
    TableReader reader = TableMap.at(snapshot);
    TableName name =
        new TableName(arguments.text("namespace", MAX_NAME), arguments.text("table", MAX_NAME));
    Table table =
        reader.table(name).orElseThrow(() -> WebException.badRequest("there is no table " + name));
    List<Object> rows = new ArrayList<>();
    boolean isMore;
    try (TableCursor cursor = reader.scan(scan(table, arguments).limit(ROWS + 1))) {
      while (rows.size() < ROWS && cursor.hasNext()) {
        rows.add(row(table, cursor.next()));
      }
      isMore = cursor.hasNext();
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("columns", columns(table));
    answer.put("rows", rows);
    answer.put("more", isMore);
    return answer;
  }

  private static TableScan scan(Table table, Arguments arguments) {
    if (!arguments.has("column")) {
      return TableScan.all(table.name());
    }
    String name = arguments.text("column", MAX_NAME);
    Column column =
        table
            .find(name)
            .filter(one -> table.indexes().contains(one.name()))
            .orElseThrow(() -> WebException.badRequest("there is no index on " + name));
    return TableScan.byIndex(
        table.name(), name, parse(column.type(), arguments.text("value", MAX_VALUE)));
  }

  private static Object parse(ColumnType type, String text) {
    try {
      return switch (type) {
        case BOOLEAN -> Boolean.valueOf(text);
        case INT -> Integer.valueOf(text);
        case BIGINT -> Long.valueOf(text);
        case FLOAT -> Float.valueOf(text);
        case DOUBLE -> Double.valueOf(text);
        case TEXT -> text;
        case BLOB -> Bytes.utf8(text);
        case DATE -> LocalDate.parse(text);
        case TIME -> LocalTime.parse(text);
        case TIMESTAMP -> LocalDateTime.parse(text);
        case TIMESTAMPTZ -> Instant.parse(text);
      };
    } catch (NumberFormatException | DateTimeException e) {
      throw WebException.badRequest("\"%s\" is no %s".formatted(text, type));
    }
  }

  private static List<Object> row(Table table, TableRecord found) {
    List<Object> row = new ArrayList<>();
    for (Column column : table.allColumns()) {
      Optional<Object> value = found.get(column.name());
      row.add(ShownValue.of(() -> value));
    }
    return row;
  }
}
