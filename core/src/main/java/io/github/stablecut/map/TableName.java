package io.github.stablecut.map;

import io.github.stablecut.map.internal.NameRules;

/**
 * The name of a table. Immutable.
 *
 * @param namespace 1 to 1,024 bytes of UTF-8; upper and lower case differ
 * @param table under the same rules as the namespace
 */
public record TableName(String namespace, String table) {
  /** Checks both names. */
  public TableName {
    NameRules.check("namespace", namespace);
    NameRules.check("table", table);
  }

  @Override
  public String toString() {
    return namespace + "." + table;
  }
}
