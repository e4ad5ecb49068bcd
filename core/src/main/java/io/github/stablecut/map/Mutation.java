package io.github.stablecut.map;

/**
 * A change of a record, with or without a condition. It is a value: creating one changes no table.
 * Immutable.
 */
public sealed interface Mutation permits Put, Delete {
  /** The record. */
  RecordKey key();

  /** The condition on the record. */
  Precondition condition();
}
