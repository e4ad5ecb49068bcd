package io.github.stablecut.map.storage;

import java.util.List;

/**
 * The outcome of a function on records. Immutable.
 *
 * @param changes in order; may be empty
 * @param result what the call returns
 */
public record Computed<R>(List<RecordChange> changes, R result) {
  /** Copies the list. */
  public Computed {
    changes = List.copyOf(changes);
  }

  /** Returns a result without changes. */
  public static <R> Computed<R> unchanged(R result) {
    return new Computed<>(List.of(), result);
  }
}
