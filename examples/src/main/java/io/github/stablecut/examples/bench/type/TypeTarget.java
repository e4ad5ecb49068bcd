package io.github.stablecut.examples.bench.type;

import io.github.stablecut.crdt.Bytes;

/** An immutable object of many entries, whose operations return a changed one. */
interface TypeTarget {
  /** Adds or changes an entry. */
  Object put(Bytes name);

  /** Removes an entry. */
  Object remove(Bytes name);

  /** Reads an entry. */
  Object get(Bytes name);
}
