package io.github.stablecut.crdt;

/** What a state may hold for a key that readers do not see. */
interface Hideable {
  /** Whether readers see the key. */
  boolean isVisible();
}
