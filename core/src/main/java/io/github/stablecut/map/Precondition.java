package io.github.stablecut.map;

import java.util.ArrayList;
import java.util.List;

/** A condition on a record that a mutation requires. Immutable. */
public sealed interface Precondition {
  /**
   * Returns the conjunction of this and another condition.
   *
   * @throws IllegalArgumentException if one requires the record to exist and the other forbids it
   */
  default Precondition and(Precondition other) {
    if (this instanceof None || equals(other)) {
      return other;
    }
    if (other instanceof None) {
      return this;
    }
    if (this instanceof NotExists || other instanceof NotExists) {
      throw new IllegalArgumentException(
          "the conditions %s and %s exclude each other: make a put for each"
              .formatted(this, other));
    }
    List<Comparison> all = new ArrayList<>(comparisons());
    all.addAll(other.comparisons());
    return new Holds(all);
  }

  /** Returns the comparisons that must hold; empty if there are none. */
  default List<Comparison> comparisons() {
    return List.of();
  }

  /** No condition: the mutation always applies. */
  record None() implements Precondition {}

  /** The record exists. */
  record Exists() implements Precondition {}

  /** The record does not exist. */
  record NotExists() implements Precondition {}

  /**
   * The record exists, and all comparisons hold.
   *
   * @param comparisons one or more
   */
  record Holds(@Override List<Comparison> comparisons) implements Precondition {
    /** Copies the list. */
    public Holds {
      comparisons = List.copyOf(comparisons);
      if (comparisons.isEmpty()) {
        throw new IllegalArgumentException("a condition without comparisons: use ifExists()");
      }
    }
  }
}
