package io.github.stablecut.crdt;

import org.jspecify.annotations.Nullable;

/**
 * The way from the root of a {@link PersistentMap} to a key. Immutable.
 *
 * @param places which child of each inner node, six bits for each from the lowest on: the ten that
 *     there is room for are more than any map has
 * @param slot of the key in the leaf, or -1 less the one that it would have
 * @param stored the value of the key, or its {@link ValueStub}; null if it isn't there
 */
record TreePath<K extends Comparable<K>, V>(K key, long places, int slot, @Nullable Object stored) {
  private static final int PLACE_BITS = 6;

  @SuppressWarnings("unchecked") // a leaf holds values of its map, and stubs of such
  @Nullable V value() {
    return stored == null ? null : (V) ValueStub.loaded(stored);
  }

  /** The place in an inner node at a level, 0 for the root. */
  int place(int level) {
    return (int) (places >>> (level * PLACE_BITS)) & ((1 << PLACE_BITS) - 1);
  }

  /** A place at a level, as a part of all. */
  static long part(int place, int level) {
    return (long) place << (level * PLACE_BITS);
  }
}
