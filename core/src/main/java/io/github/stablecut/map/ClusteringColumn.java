package io.github.stablecut.map;

/** A column of a clustering key. Immutable. */
public record ClusteringColumn(Column column, SortOrder order) {}
