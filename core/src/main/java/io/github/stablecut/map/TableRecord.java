package io.github.stablecut.map;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A record, or some columns of it. Immutable. */
public final class TableRecord {
  private final RecordKey key;
  private final Map<String, Optional<Object>> values;

  public TableRecord(RecordKey key, Map<String, Optional<Object>> values) {
    this.key = key;
    this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /** Returns the record's key. */
  public RecordKey key() {
    return key;
  }

  /**
   * Returns the columns that were read: all in the table's order, or the requested ones in the
   * order of the request.
   */
  public Set<String> columns() {
    return values.keySet();
  }

  /**
   * Returns the value of a column, whether of the key or not; empty if it has none.
   *
   * @throws IllegalArgumentException if the column was not read
   */
  public Optional<Object> get(String column) {
    Optional<Object> value = values.get(column);
    if (value == null) {
      throw new IllegalArgumentException(
          "column %s was not read, only %s: name it in the read"
              .formatted(column, values.keySet()));
    }
    return value;
  }

  /**
   * Returns the value of a column, cast to a class such as {@code Long.class}.
   *
   * @throws IllegalArgumentException if the column was not read
   * @throws ClassCastException if the value is of another class
   */
  public <T> Optional<T> get(String column, Class<T> type) {
    return get(column).map(type::cast);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TableRecord that && key.equals(that.key) && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + values.hashCode();
  }

  @Override
  public String toString() {
    return key.table() + values.toString();
  }
}
