package io.github.stablecut.crdt.internal.tree;

/** A stored value whose key may be invisible to readers. */
public interface Hideable {
  /** Whether readers see the key. */
  boolean isVisible();
}
