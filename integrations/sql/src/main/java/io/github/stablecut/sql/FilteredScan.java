package io.github.stablecut.sql;

import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/**
 * Chooses the scan that reads as little as a query's filters allow. It may find more records than
 * pass the filters, never fewer. Confined to one thread.
 */
final class FilteredScan {
  private final Table table;
  private final List<Column> columns;
  private final RexBuilder nodes = new RexBuilder(new JavaTypeFactoryImpl(new SqlTypeSystem()));
  private final List<ColumnFilter> known = new ArrayList<>();

  /**
   * @param columns in the order that the filters refer to
   */
  FilteredScan(Table table, List<Column> columns) {
    this.table = table;
    this.columns = columns;
  }

  /** The scan for filters that a record must all pass. */
  TableScan of(List<RexNode> filters) {
    for (RexNode filter : filters) {
      RexNode plain = RexUtil.expandSearch(nodes, null, filter);
      for (RexNode part : RelOptUtil.conjunctions(plain)) {
        ColumnFilter.of(part, columns).ifPresent(known::add);
      }
    }
    List<Object> partition = equal(table.partitionKey());
    if (partition.size() == table.partitionKey().size()) {
      return clustering(TableScan.of(table.name(), partition.toArray()));
    }
    for (String indexed : table.indexes()) {
      Optional<Object> value = equal(table.find(indexed).orElseThrow());
      if (value.isPresent()) {
        return TableScan.byIndex(table.name(), indexed, value.get());
      }
    }
    return TableScan.all(table.name());
  }

  /** The values that the first of some columns must equal, as far as the filters tell. */
  private List<Object> equal(List<Column> first) {
    List<Object> values = new ArrayList<>();
    for (Column column : first) {
      Optional<Object> value = equal(column);
      if (value.isEmpty()) {
        break;
      }
      values.add(value.get());
    }
    return values;
  }

  private Optional<Object> equal(Column column) {
    return known.stream()
        .filter(filter -> filter.column().equals(column) && filter.kind() == SqlKind.EQUALS)
        .map(ColumnFilter::value)
        .findFirst();
  }

  private TableScan clustering(TableScan partition) {
    List<Column> key = table.clusteringKey().stream().map(ClusteringColumn::column).toList();
    List<Object> first = equal(key);
    TableScan scan = first.isEmpty() ? partition : partition.clustering(first.toArray());
    if (first.size() == key.size()) {
      return scan;
    }
    Column next = key.get(first.size());
    for (ColumnFilter filter : known) {
      if (filter.column().equals(next)) {
        scan = bounded(scan, filter);
      }
    }
    return scan;
  }

  /** Adds the first bound of each side; Calcite applies the others. */
  private static TableScan bounded(TableScan scan, ColumnFilter filter) {
    boolean isLow = scan.slice().low().isPresent();
    boolean isHigh = scan.slice().high().isPresent();
    return switch (filter.kind()) {
      case GREATER_THAN -> isLow ? scan : scan.above(filter.value());
      case GREATER_THAN_OR_EQUAL -> isLow ? scan : scan.from(filter.value());
      case LESS_THAN -> isHigh ? scan : scan.until(filter.value());
      case LESS_THAN_OR_EQUAL -> isHigh ? scan : scan.through(filter.value());
      default -> scan;
    };
  }
}
