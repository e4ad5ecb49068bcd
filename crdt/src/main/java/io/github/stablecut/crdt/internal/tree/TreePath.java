package io.github.stablecut.crdt.internal.tree;

import org.jspecify.annotations.Nullable;

/**
 * The path from the root of a {@link PersistentMap} to a key. Immutable.
 *
 * @param indexes the child's index in the inner node of each level, six bits each from the lowest
 *     on: enough for ten levels, more than any map has
 * @param slot the key's slot in the leaf; if absent, -1 minus its insertion slot
 * @param stored the value of the key, or its {@link ValueStub}; null if absent
 */
record TreePath<K extends Comparable<K>, V>(
    K key, long indexes, int slot, @Nullable Object stored) {
  private static final int INDEX_BITS = 6;

  @SuppressWarnings("unchecked") // a leaf holds only values of its map and their stubs
  @Nullable V value() {
    return stored == null ? null : (V) ValueStub.loaded(stored);
  }

  /** The child's index in the inner node at a level, 0 for the root. */
  int index(int level) {
    return (int) (indexes >>> (level * INDEX_BITS)) & ((1 << INDEX_BITS) - 1);
  }

  /** An index at a level, shifted to its bits in {@link #indexes}. */
  static long shifted(int index, int level) {
    return (long) index << (level * INDEX_BITS);
  }
}
