package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.internal.tree.MapNode.Inner;

/**
 * The halves of a split {@link MapNode}. Each may still exceed a node's maximum size. Immutable.
 *
 * @param bound above the keys of the left half, and at or below those of the right half
 */
record MapHalves<K extends Comparable<K>, V>(MapNode<K, V> left, K bound, MapNode<K, V> right) {
  MapNode<K, V>[] pair() {
    MapNode<K, V>[] nodes = MapNode.newNodes(2);
    nodes[0] = left;
    nodes[1] = right;
    return nodes;
  }

  /** An inner node with the halves as its children. */
  Inner<K, V> parent() {
    return new Inner<>(new SortedKeys<>(new Object[] {bound}), pair(), 0);
  }
}
