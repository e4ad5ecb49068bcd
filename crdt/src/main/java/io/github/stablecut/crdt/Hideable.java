package io.github.stablecut.crdt;

/** A stored value whose key may be invisible to readers. */
interface Hideable {
  /** Whether readers see the key. */
  boolean isVisible();
}
