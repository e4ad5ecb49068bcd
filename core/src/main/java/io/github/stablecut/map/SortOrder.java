package io.github.stablecut.map;

/** The order of the records of a partition by a column of their clustering key. */
public enum SortOrder {
  /** The least value first. */
  ASCENDING,
  /** The greatest value first. */
  DESCENDING
}
