package io.github.stablecut.map;

import java.util.List;

/** What must hold of a record for a mutation to be made. Immutable. */
public sealed interface Precondition {
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
  record Holds(List<Comparison> comparisons) implements Precondition {
    /** Copies the list. */
    public Holds {
      comparisons = List.copyOf(comparisons);
      if (comparisons.isEmpty()) {
        throw new IllegalArgumentException("a condition without comparisons: use ifExists()");
      }
    }
  }
}
