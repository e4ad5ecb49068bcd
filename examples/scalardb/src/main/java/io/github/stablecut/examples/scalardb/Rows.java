package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.TableMetadata;
import com.scalar.db.io.Column;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TableSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The rows of a table, or of two tables joined by their keys, in a snapshot. Confined to one
 * thread.
 */
final class Rows {
  private final TableSnapshot snapshot;
  private final StablecutStorage.Target target;
  private final TableMetadata metadata;
  private final Predicate<String> isOfRight;

  /**
   * @param isOfRight whether a column belongs to the right source
   */
  Rows(
      TableSnapshot snapshot,
      StablecutStorage.Target target,
      TableMetadata metadata,
      Predicate<String> isOfRight) {
    this.isOfRight = isOfRight;
    this.snapshot = snapshot;
    this.target = target;
    this.metadata = metadata;
  }

  /** The row with a key of the table or of the left source. */
  Stream<Map<String, Column<?>>> get(RecordKey key) {
    return snapshot.get(key).stream().flatMap(this::joined);
  }

  /** The rows of a scan of the table or of the left source; the caller closes the stream. */
  Stream<Map<String, Column<?>>> scan(TableScan scan) {
    if (target.virtual().isPresent()
        && scan.index().isPresent()
        && isOfRight.test(scan.index().get().column())) {
      VirtualTables.Info info = target.virtual().get();
      TableScan.IndexValue index = scan.index().get();
      return snapshot.scan(TableScan.byIndex(info.right(), index.column(), index.value())).stream()
          .flatMap(right -> snapshot.get(at(info.left(), right)).stream())
          .flatMap(this::joined);
    }
    return snapshot.scan(scan).stream().flatMap(this::joined);
  }

  private static RecordKey at(TableName table, TableRecord record) {
    return new RecordKey(table, record.key().partition(), record.key().clustering());
  }

  private Stream<Map<String, Column<?>>> joined(TableRecord record) {
    if (target.virtual().isEmpty()) {
      return Stream.of(columns(record, metadata));
    }
    VirtualTables.Info info = target.virtual().get();
    Optional<TableRecord> right = snapshot.get(at(info.right(), record));
    if (right.isEmpty() && !info.isOuter()) {
      return Stream.empty();
    }
    Map<String, Column<?>> row = columns(record, metadata);
    metadata.getColumnNames().stream()
        .filter(column -> !row.containsKey(column))
        .forEach(
            column ->
                row.put(
                    column,
                    Values.column(
                        column,
                        metadata.getColumnDataType(column),
                        right.flatMap(found -> found.get(column)))));
    return Stream.of(row);
  }

  /** A record's columns. */
  static Map<String, Column<?>> columns(TableRecord record, TableMetadata metadata) {
    Map<String, Column<?>> columns = new LinkedHashMap<>();
    for (String column : record.columns()) {
      if (metadata.getColumnNames().contains(column)) {
        columns.put(
            column, Values.column(column, metadata.getColumnDataType(column), record.get(column)));
      }
    }
    return columns;
  }
}
