package io.github.stablecut.map;

/**
 * A change of a record, under a condition or none. A value: making one does nothing to any table.
 * Immutable.
 */
public sealed interface Mutation permits Put, Delete {
  /** The record. */
  RecordKey key();

  /** What must hold of it. */
  Precondition condition();
}
