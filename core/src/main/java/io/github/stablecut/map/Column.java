package io.github.stablecut.map;

/**
 * A column of a table. Immutable.
 *
 * @param name 1 to 1,024 bytes of UTF-8; upper and lower case differ
 */
public record Column(String name, ColumnType type) {
  /** Checks the name. */
  public Column {
    Names.check("column", name);
  }
}
