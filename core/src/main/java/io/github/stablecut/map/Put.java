package io.github.stablecut.map;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Sets columns of a record, and creates it if it is missing. Columns that it does not name stay
 * unchanged; of several values for a column, the last one counts. Conditions accumulate: all of
 * them must hold. Immutable: each method returns a new put.
 *
 * @param values by column; an empty value removes the column's value
 */
public record Put(RecordKey key, Map<String, Optional<Object>> values, Precondition condition)
    implements Mutation {
  /** Copies the map. */
  public Put {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(condition, "condition");
    values = Map.copyOf(values);
  }

  /** Returns a put that creates a record if it is missing, and changes no columns. */
  public static Put of(RecordKey key) {
    return new Put(key, Map.of(), new Precondition.None());
  }

  /** Sets the value of a column. */
  public Put value(String column, Object value) {
    Objects.requireNonNull(value, "value");
    return with(column, Optional.of(value));
  }

  /** Removes the value of a column. */
  public Put withoutValue(String column) {
    return with(column, Optional.empty());
  }

  private Put with(String column, Optional<Object> value) {
    Objects.requireNonNull(column, "column");
    Map<String, Optional<Object>> more = new LinkedHashMap<>(values);
    more.put(column, value);
    return new Put(key, more, condition);
  }

  /** Applies the put only if the record exists. */
  public Put ifExists() {
    return with(new Precondition.Exists());
  }

  /** Applies the put only if the record does not exist. */
  public Put ifNotExists() {
    return with(new Precondition.NotExists());
  }

  /** Applies the put only if the record exists and all comparisons hold. */
  public Put onlyIf(Comparison... comparisons) {
    return with(new Precondition.Holds(List.of(comparisons)));
  }

  private Put with(Precondition further) {
    return new Put(key, values, condition.and(further));
  }
}
