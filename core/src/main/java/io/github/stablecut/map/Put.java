package io.github.stablecut.map;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Sets columns of a record, which is there afterwards. Columns that it does not name stay as they
 * are; of several values for a column the last one counts. Conditions add up: all of them must
 * hold. Immutable: each method makes a further put.
 *
 * @param values by column; empty to have none
 */
public record Put(RecordKey key, Map<String, Optional<Object>> values, Precondition condition)
    implements Mutation {
  /** Copies the map. */
  public Put {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(condition, "condition");
    values = Map.copyOf(values);
  }

  /** Makes a record be there, without a change of its columns. */
  public static Put of(RecordKey key) {
    return new Put(key, Map.of(), new Precondition.None());
  }

  /** With a value of a column. */
  public Put value(String column, Object value) {
    Objects.requireNonNull(value, "value");
    return with(column, Optional.of(value));
  }

  /** With a column that has no value afterwards. */
  public Put withoutValue(String column) {
    return with(column, Optional.empty());
  }

  private Put with(String column, Optional<Object> value) {
    Objects.requireNonNull(column, "column");
    Map<String, Optional<Object>> more = new LinkedHashMap<>(values);
    more.put(column, value);
    return new Put(key, more, condition);
  }

  /** Only if the record is there. */
  public Put ifExists() {
    return with(new Precondition.Exists());
  }

  /** Only if the record is not there. */
  public Put ifNotExists() {
    return with(new Precondition.NotExists());
  }

  /** Only if the record is there and comparisons hold, all of them. */
  public Put onlyIf(Comparison... comparisons) {
    return with(new Precondition.Holds(List.of(comparisons)));
  }

  private Put with(Precondition further) {
    return new Put(key, values, condition.and(further));
  }
}
