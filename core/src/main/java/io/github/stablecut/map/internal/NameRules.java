package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;

/** Rules for the names of namespaces, tables and columns. */
public final class NameRules {
  static final int MAX_BYTES = 1_024;

  private NameRules() {}

  public static void check(String what, String name) {
    int length = Bytes.utf8(name).length();
    if (length < 1 || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the name of a %s has 1 to %,d bytes, not %,d: %.40s"
              .formatted(what, MAX_BYTES, length, name));
    }
  }
}
