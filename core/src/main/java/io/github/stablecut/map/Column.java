package io.github.stablecut.map;

import io.github.stablecut.map.internal.NameRules;
import java.util.Objects;

/**
 * A column of a table. Immutable.
 *
 * @param name 1 to 1,024 bytes of UTF-8; upper and lower case differ
 */
public record Column(String name, ColumnType type) {
  /** Checks the name, and that there is a type. */
  public Column {
    NameRules.check("column", name);
    Objects.requireNonNull(type, "type");
  }
}
