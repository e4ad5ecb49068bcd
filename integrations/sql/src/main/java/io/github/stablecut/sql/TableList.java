package io.github.stablecut.sql;

import io.github.stablecut.map.Column;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The list of tables, one per line with its columns. */
final class TableList {
  private final TableReader reader;

  TableList(TableReader reader) {
    this.reader = reader;
  }

  void print(PrintWriter out) {
    for (String namespace : reader.namespaces()) {
      for (String name : reader.tables(namespace)) {
        Optional<Table> table = reader.table(new TableName(namespace, name));
        out.println(
            table
                .map(TableList::line)
                .orElse(namespace + "." + name + ": its definition is lost: repair the table"));
      }
    }
    out.println(StoreSchema.OWN + "." + StoreSchema.objects(reader) + ": all objects");
  }

  private static String line(Table table) {
    List<String> words = new ArrayList<>();
    table.partitionKey().forEach(column -> words.add(words(column) + " partition key"));
    table
        .clusteringKey()
        .forEach(
            part ->
                words.add(
                    words(part.column())
                        + " clustering key"
                        + (part.order() == SortOrder.DESCENDING ? " descending" : "")));
    table
        .columns()
        .forEach(
            column ->
                words.add(
                    words(column) + (table.indexes().contains(column.name()) ? " indexed" : "")));
    return table.name() + ": " + String.join(", ", words);
  }

  private static String words(Column column) {
    return column.name() + " " + column.type();
  }
}
