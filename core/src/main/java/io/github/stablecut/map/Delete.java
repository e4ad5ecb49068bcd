package io.github.stablecut.map;

import java.util.List;
import java.util.Objects;

/**
 * Removes a record with all of its columns. One that is not there stays so. Conditions add up: all
 * of them must hold. Immutable: each method makes a further delete.
 */
public record Delete(RecordKey key, Precondition condition) implements Mutation {
  /**
   * Checks the condition.
   *
   * @throws IllegalArgumentException if it is that the record is not there
   */
  public Delete {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(condition, "condition");
    if (condition instanceof Precondition.NotExists) {
      throw new IllegalArgumentException("a record that is not there needs no deletion");
    }
  }

  /** Removes a record if it is there. */
  public static Delete of(RecordKey key) {
    return new Delete(key, new Precondition.None());
  }

  /** Only if the record is there. */
  public Delete ifExists() {
    return new Delete(key, condition.and(new Precondition.Exists()));
  }

  /** Only if the record is there and comparisons hold, all of them. */
  public Delete onlyIf(Comparison... comparisons) {
    return new Delete(key, condition.and(new Precondition.Holds(List.of(comparisons))));
  }
}
