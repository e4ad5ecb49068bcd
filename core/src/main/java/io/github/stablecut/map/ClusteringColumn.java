package io.github.stablecut.map;

import java.util.Objects;

/** A column of a clustering key. Immutable. */
public record ClusteringColumn(Column column, SortOrder order) {
  /** Checks for nulls. */
  public ClusteringColumn {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(order, "order");
  }
}
