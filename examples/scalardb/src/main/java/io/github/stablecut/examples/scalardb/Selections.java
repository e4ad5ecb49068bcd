package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.Get;
import com.scalar.db.api.Result;
import com.scalar.db.api.Scan;
import com.scalar.db.api.ScanAll;
import com.scalar.db.api.Scanner;
import com.scalar.db.api.Selection;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.common.FilterableScanner;
import com.scalar.db.common.ResultImpl;
import com.scalar.db.io.Column;
import com.scalar.db.util.ScalarDbUtils;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TableSnapshot;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Executes ScalarDB's gets and scans on tables. Filters, and orderings of entire tables, are
 * evaluated here. Confined to one thread.
 */
final class Selections {
  private final TableMap map;
  private final StablecutStorage.Target target;
  private final TableMetadata metadata;

  Selections(TableMap map, StablecutStorage.Target target, TableMetadata metadata) {
    this.map = map;
    this.target = target;
    this.metadata = metadata;
  }

  /** Starts a selection. Closing the scanner releases its snapshot. */
  Scanner begin(Selection selection) {
    boolean isFiltered = !selection.getConjunctions().isEmpty();
    if (target.virtual().isEmpty() && selection instanceof Get get && !isByIndex(get)) {
      Stream<Map<String, Column<?>>> row =
          map.get(key(get, target.table())).map(record -> Rows.columns(record, metadata)).stream();
      return scanner(selection, isFiltered, row.iterator(), () -> {});
    }
    TableSnapshot snapshot = map.snapshot();
    Runnable release = snapshot::close;
    try {
      Rows rows =
          new Rows(
              snapshot,
              target,
              metadata,
              column ->
                  map.table(target.table())
                      .filter(left -> left.find(column).isPresent())
                      .isEmpty());
      Stream<Map<String, Column<?>>> all =
          selection instanceof Get get && !isByIndex(get)
              ? rows.get(key(get, target.table()))
              : rows.scan(scan(selection, isFiltered));
      release =
          () -> {
            try {
              all.close();
            } finally {
              snapshot.close();
            }
          };
      Stream<Map<String, Column<?>>> ordered =
          selection instanceof ScanAll scan && !scan.getOrderings().isEmpty()
              ? all.sorted(order(scan))
              : all;
      return scanner(selection, isFiltered, ordered.iterator(), release);
    } catch (RuntimeException | Error e) {
      release.run();
      throw e;
    }
  }

  private boolean isByIndex(Selection selection) {
    return !(selection instanceof ScanAll)
        && ScalarDbUtils.isSecondaryIndexSpecified(selection, metadata);
  }

  private static RecordKey key(Get get, TableName table) {
    return new RecordKey(
        table,
        Values.values(get.getPartitionKey()),
        get.getClusteringKey().map(Values::values).orElse(List.of()));
  }

  private Scanner scanner(
      Selection selection,
      boolean isFiltered,
      Iterator<Map<String, Column<?>>> rows,
      Runnable release) {
    long limit =
        !isFiltered && selection instanceof Scan scan && scan.getLimit() > 0
            ? scan.getLimit()
            : Long.MAX_VALUE;
    List<String> projections = isFiltered ? List.of() : selection.getProjections();
    Scanner scanner = new RowScanner(rows, limit, row -> result(row, projections), release);
    return isFiltered ? new FilterableScanner(selection, scanner) : scanner;
  }

  private Result result(Map<String, Column<?>> row, List<String> projections) {
    if (projections.isEmpty()) {
      return new ResultImpl(row, metadata);
    }
    Map<String, Column<?>> projected = new LinkedHashMap<>();
    for (String column : projections) {
      Column<?> found = row.get(column);
      if (found != null) {
        projected.put(column, found);
      }
    }
    return new ResultImpl(projected, metadata);
  }

  /** The scan of the table, or of the left source of a virtual table. */
  private TableScan scan(Selection selection, boolean isFiltered) {
    TableName table = target.table();
    if (selection instanceof ScanAll) {
      return limited(TableScan.all(table), selection, isFiltered);
    }
    if (isByIndex(selection)) {
      Column<?> column = selection.getPartitionKey().getColumns().get(0);
      return limited(
          TableScan.byIndex(table, column.getName(), Values.value(column).orElseThrow()),
          selection,
          isFiltered);
    }
    Scan scan = (Scan) selection;
    TableScan ranged = TableScan.of(table, Values.values(scan.getPartitionKey()).toArray());
    List<Object> start = scan.getStartClusteringKey().map(Values::values).orElse(List.of());
    List<Object> end = scan.getEndClusteringKey().map(Values::values).orElse(List.of());
    List<Object> longer = start.isEmpty() ? end : start;
    if (!longer.isEmpty()) {
      ranged = ranged.clustering(longer.subList(0, longer.size() - 1).toArray());
    }
    if (!start.isEmpty()) {
      Object low = start.get(start.size() - 1);
      ranged = scan.getStartInclusive() ? ranged.from(low) : ranged.above(low);
    }
    if (!end.isEmpty()) {
      Object high = end.get(end.size() - 1);
      ranged = scan.getEndInclusive() ? ranged.through(high) : ranged.until(high);
    }
    return limited(isReversed(scan) ? ranged.reversed() : ranged, selection, isFiltered);
  }

  /** Applies the selection's limit if no rows are filtered or reordered afterwards. */
  private TableScan limited(TableScan scan, Selection selection, boolean isFiltered) {
    boolean isExact = !isFiltered && target.virtual().isEmpty() && !(selection instanceof ScanAll);
    return isExact && selection instanceof Scan given && given.getLimit() > 0
        ? scan.limit(given.getLimit())
        : scan;
  }

  /**
   * Whether the scan is descending; the checker ensures that all orderings follow the key or none.
   */
  private boolean isReversed(Scan scan) {
    return scan.getOrderings().stream()
        .anyMatch(
            ordering ->
                ordering.getOrder() != metadata.getClusteringOrder(ordering.getColumnName()));
  }

  private static Comparator<Map<String, Column<?>>> order(ScanAll scan) {
    return scan.getOrderings().stream()
        .map(Selections::order)
        .reduce(Comparator::thenComparing)
        .orElseThrow();
  }

  private static Comparator<Map<String, Column<?>>> order(Scan.Ordering ordering) {
    String name = ordering.getColumnName();
    Comparator<Map<String, Column<?>>> ascending =
        (one, other) ->
            compare(Objects.requireNonNull(one.get(name)), Objects.requireNonNull(other.get(name)));
    return ordering.getOrder() == Scan.Ordering.Order.DESC ? ascending.reversed() : ascending;
  }

  @SuppressWarnings("unchecked") // both are of one column of the table
  private static <T> int compare(Column<T> one, Column<?> other) {
    return one.compareTo((Column<T>) other);
  }
}
