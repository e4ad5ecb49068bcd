package io.github.stablecut.crdt;

import io.github.stablecut.crdt.MapNode.Inner;

/**
 * The halves of a {@link MapNode} that was too large. Each may still be larger than a node may be.
 * Immutable.
 *
 * @param bound above the keys of the left one, and at or below those of the right one
 */
record MapHalves<K extends Comparable<K>, V>(MapNode<K, V> left, K bound, MapNode<K, V> right) {
  MapNode<K, V>[] pair() {
    MapNode<K, V>[] nodes = MapNode.newNodes(2);
    nodes[0] = left;
    nodes[1] = right;
    return nodes;
  }

  /** A node that has them as its children. */
  Inner<K, V> parent() {
    return new Inner<>(new SortedKeys<>(new Object[] {bound}), pair(), 0);
  }
}
