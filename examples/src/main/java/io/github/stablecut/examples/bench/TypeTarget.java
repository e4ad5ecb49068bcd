package io.github.stablecut.examples.bench;

import io.github.stablecut.crdt.Bytes;

/** An object of many entries, whose operations leave it as it is and answer a changed one. */
interface TypeTarget {
  /** Adds or changes an entry. */
  Object put(Bytes name);

  /** Removes an entry. */
  Object remove(Bytes name);

  /** Looks an entry up. */
  Object get(Bytes name);
}
