package io.github.stablecut.map;

import java.util.ArrayList;
import java.util.List;

/** What must hold of a record for a mutation to be made. Immutable. */
public sealed interface Precondition {
  /**
   * This and another one together.
   *
   * @throws IllegalArgumentException if the one wants the record to be there, and the other one not
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
          "a record can't be there and not be there: %s and %s: make a put for each"
              .formatted(this, other));
    }
    List<Comparison> all = new ArrayList<>(comparisons());
    all.addAll(other.comparisons());
    return new Holds(all);
  }

  /** The comparisons that must hold; empty if there are none. */
  default List<Comparison> comparisons() {
    return List.of();
  }

  /** Nothing: the mutation is made in any case. */
  record None() implements Precondition {}

  /** The record is there. */
  record Exists() implements Precondition {}

  /** The record is not there. */
  record NotExists() implements Precondition {}

  /**
   * The record is there, and all comparisons hold.
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
