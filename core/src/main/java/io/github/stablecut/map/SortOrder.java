package io.github.stablecut.map;

/** The order of a partition's records by a column of their clustering key. */
public enum SortOrder {
  /** The least value first. */
  ASCENDING,
  /** The greatest value first. */
  DESCENDING
}
