package io.github.stablecut.map;

import java.util.List;
import java.util.Objects;

/**
 * Removes a record with all of its columns, if it exists. Conditions accumulate: all of them must
 * hold. Immutable: each method returns a new delete.
 */
public record Delete(RecordKey key, Precondition condition) implements Mutation {
  /**
   * Checks the condition.
   *
   * @throws IllegalArgumentException if the condition requires that the record does not exist
   */
  public Delete {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(condition, "condition");
    if (condition instanceof Precondition.NotExists) {
      throw new IllegalArgumentException(
          "ifNotExists() is no condition of a deletion, because an absent record needs none");
    }
  }

  /** Returns a delete of a record; it does nothing if the record does not exist. */
  public static Delete of(RecordKey key) {
    return new Delete(key, new Precondition.None());
  }

  /** Applies the delete only if the record exists. */
  public Delete ifExists() {
    return new Delete(key, condition.and(new Precondition.Exists()));
  }

  /** Applies the delete only if the record exists and all comparisons hold. */
  public Delete onlyIf(Comparison... comparisons) {
    return new Delete(key, condition.and(new Precondition.Holds(List.of(comparisons))));
  }
}
