package io.github.stablecut.sql;

import io.github.stablecut.map.Column;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableReader;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.schema.ProjectableFilterableTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.jspecify.annotations.Nullable;

/**
 * A table of records. A query reads only the columns that it needs. If it specifies the partition
 * key, it reads one partition, and of that a range of the clustering key. If it specifies the value
 * of an indexed column, it reads the records with that value; otherwise all records.
 */
final class RecordsTable extends AbstractTable implements ProjectableFilterableTable {
  private final TableReader reader;
  private final Table table;
  private final List<Column> columns;

  RecordsTable(TableReader reader, Table table) {
    this.reader = reader;
    this.table = table;
    this.columns = table.allColumns();
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory types) {
    Set<Column> key = new HashSet<>(table.partitionKey());
    table.clusteringKey().forEach(part -> key.add(part.column()));
    RelDataTypeFactory.Builder row = types.builder();
    for (Column column : columns) {
      row.add(column.name(), SqlTypes.of(types, column.type(), key.contains(column)));
    }
    return row.build();
  }

  @Override
  public Enumerable<@Nullable Object[]> scan(
      DataContext context, List<RexNode> filters, int @Nullable [] projects) {
    int[] read = projects == null ? IntStream.range(0, columns.size()).toArray() : projects;
    List<Column> projected = new ArrayList<>();
    for (int column : read) {
      projected.add(columns.get(column));
    }
    // The filters stay in the list, so Calcite applies them to the records found.
    TableScan scan = new FilteredScan(table, columns).of(filters);
    if (!projected.isEmpty()) {
      scan = scan.columns(projected.stream().map(Column::name).toArray(String[]::new));
    }
    TableScan planned = scan;
    return CursorRows.of(
        () -> reader.scan(planned),
        TableCursor::close,
        (TableRecord record) -> row(record, projected));
  }

  private static @Nullable Object[] row(TableRecord record, List<Column> projected) {
    @Nullable Object[] row = new Object[projected.size()];
    for (int i = 0; i < row.length; i++) {
      Column column = projected.get(i);
      row[i] = record.get(column.name()).map(value -> SqlTypes.value(column, value)).orElse(null);
    }
    return row;
  }
}
