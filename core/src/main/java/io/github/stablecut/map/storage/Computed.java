package io.github.stablecut.map.storage;

import java.util.List;

/**
 * What a function has made of records. Immutable.
 *
 * @param changes in order; none if there are none
 * @param result what the call returns
 */
public record Computed<R>(List<RecordChange> changes, R result) {
  /** Copies the list. */
  public Computed {
    changes = List.copyOf(changes);
  }

  /** A result without changes. */
  public static <R> Computed<R> unchanged(R result) {
    return new Computed<>(List.of(), result);
  }
}
