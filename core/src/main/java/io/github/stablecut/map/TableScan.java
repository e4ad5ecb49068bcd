package io.github.stablecut.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Selects records of a table, and their order: those of a partition in the order of the clustering
 * key, all records, or those with a value in an index. Comparisons accumulate. A scan accepts only
 * one lower bound, one upper bound and one list of first values, so that none is lost. Of several
 * limits or lists of columns, the last one counts. Immutable: each method returns a new scan.
 *
 * <pre>{@code
 * TableScan.of(accounts.name(), "eve").from(3).until(9).reversed().limit(10)
 * TableScan.of(events.name(), "eve").clustering("2026").above(7)
 * }</pre>
 *
 * @param partition the values of the partition key; empty for all partitions, which come in an
 *     order that the storage chooses, each sorted by the clustering key
 * @param index a column with an index, and the value; the order is that of a scan of all partitions
 * @param slice the part of the clustering key, and its direction
 * @param limit the maximum number of records, counted after the comparisons; above 0
 * @param columns the columns to read; empty for all columns
 * @param comparisons the comparisons that every result satisfies
 */
public record TableScan(
    TableName table,
    Optional<List<Object>> partition,
    Optional<IndexValue> index,
    Slice slice,
    long limit,
    List<String> columns,
    List<Comparison> comparisons) {
  /**
   * A value to look up in an index.
   *
   * @param column a column with an index
   */
  public record IndexValue(String column, Object value) {
    /** Checks that nothing is null. */
    public IndexValue {
      Objects.requireNonNull(column, "column");
      Objects.requireNonNull(value, "value");
    }
  }

  /** A bound, inclusive or exclusive. */
  public record Bound(Object value, boolean isInclusive) {
    /** Checks that there is a value. */
    public Bound {
      Objects.requireNonNull(value, "value");
    }
  }

  /**
   * A part of the clustering key, and the direction in which the scan reads it.
   *
   * @param first the values of the first columns of the clustering key
   * @param low the lower bound of the next column
   * @param high the upper bound of that column
   * @param isReversed whether the records come in the reverse of the clustering key's order
   */
  public record Slice(
      List<Object> first, Optional<Bound> low, Optional<Bound> high, boolean isReversed) {
    private static final Slice WHOLE =
        new Slice(List.of(), Optional.empty(), Optional.empty(), false);

    /** Copies the list. */
    public Slice {
      Objects.requireNonNull(low, "low");
      Objects.requireNonNull(high, "high");
      first = List.copyOf(first);
    }
  }

  /** Copies the lists. */
  public TableScan {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(slice, "slice");
    partition = partition.map(List::copyOf);
    columns = List.copyOf(columns);
    comparisons = List.copyOf(comparisons);
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a scan is at least 1 record, not " + limit);
    }
    if (partition.isPresent() && index.isPresent()) {
      throw new IllegalArgumentException(
          "a scan reads a partition or an index, not both: compare the columns of the key instead");
    }
    if (partition.isEmpty() && !slice.equals(Slice.WHOLE)) {
      throw new IllegalArgumentException(
          "the clustering key orders the records of a partition only: name the partition, or omit the bounds and the order");
    }
  }

  /** Returns a scan of all records of a partition. */
  public static TableScan of(TableName table, Object... partition) {
    return of(table, Optional.of(List.of(partition)), Optional.empty());
  }

  /** Returns a scan of all records. */
  public static TableScan all(TableName table) {
    return of(table, Optional.empty(), Optional.empty());
  }

  /** Returns a scan of the records with a value in a column that has an index. */
  public static TableScan byIndex(TableName table, String column, Object value) {
    return of(table, Optional.empty(), Optional.of(new IndexValue(column, value)));
  }

  private static TableScan of(
      TableName table, Optional<List<Object>> partition, Optional<IndexValue> index) {
    return new TableScan(
        table, partition, index, Slice.WHOLE, Long.MAX_VALUE, List.of(), List.of());
  }

  /**
   * Restricts the scan to records with these values in the first columns of the clustering key.
   *
   * @throws IllegalArgumentException if the scan has such values already
   */
  public TableScan clustering(Object... values) {
    if (!slice.first.isEmpty()) {
      throw twice("first values of the clustering key, " + slice.first);
    }
    return with(new Slice(List.of(values), slice.low, slice.high, slice.isReversed));
  }

  /**
   * Restricts the scan to records whose next clustering column is at least a value, whatever the
   * column's order.
   *
   * @throws IllegalArgumentException if the scan has a lower bound already
   */
  public TableScan from(Object value) {
    return low(new Bound(value, true));
  }

  /**
   * Restricts the scan to records whose next clustering column is above a value, whatever the
   * column's order.
   *
   * @throws IllegalArgumentException if the scan has a lower bound already
   */
  public TableScan above(Object value) {
    return low(new Bound(value, false));
  }

  private TableScan low(Bound bound) {
    if (slice.low.isPresent()) {
      throw twice("a bound below, " + slice.low.get().value());
    }
    return with(new Slice(slice.first, Optional.of(bound), slice.high, slice.isReversed));
  }

  /**
   * Restricts the scan to records whose next clustering column is at most a value, whatever the
   * column's order.
   *
   * @throws IllegalArgumentException if the scan has an upper bound already
   */
  public TableScan through(Object value) {
    return high(new Bound(value, true));
  }

  /**
   * Restricts the scan to records whose next clustering column is below a value, whatever the
   * column's order.
   *
   * @throws IllegalArgumentException if the scan has an upper bound already
   */
  public TableScan until(Object value) {
    return high(new Bound(value, false));
  }

  private TableScan high(Bound bound) {
    if (slice.high.isPresent()) {
      throw twice("a bound above, " + slice.high.get().value());
    }
    return with(new Slice(slice.first, slice.low, Optional.of(bound), slice.isReversed));
  }

  /** Reverses the order of the clustering key. */
  public TableScan reversed() {
    return with(new Slice(slice.first, slice.low, slice.high, true));
  }

  /**
   * Limits the number of records.
   *
   * @param most the maximum, above 0
   */
  public TableScan limit(long most) {
    return new TableScan(table, partition, index, slice, most, columns, comparisons);
  }

  /** Reads only some columns of the records. */
  public TableScan columns(String... names) {
    return new TableScan(table, partition, index, slice, limit, List.of(names), comparisons);
  }

  /** Restricts the scan to records for which all comparisons hold. */
  public TableScan where(Comparison... further) {
    List<Comparison> all = new ArrayList<>(comparisons);
    all.addAll(List.of(further));
    return new TableScan(table, partition, index, slice, limit, columns, all);
  }

  private TableScan with(Slice newSlice) {
    return new TableScan(table, partition, index, newSlice, limit, columns, comparisons);
  }

  private IllegalArgumentException twice(String what) {
    return new IllegalArgumentException(
        "the scan of %s already has %s: set it once, or start again with TableScan.of"
            .formatted(table, what));
  }
}
