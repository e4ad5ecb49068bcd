package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import io.github.stablecut.crdt.internal.tree.MapNode.Leaf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The nodes of one level during the bulk load of a {@link PersistentMap}, and the bounds between
 * them. No node exceeds the maximum size. Confined to one thread.
 */
final class MapLevel<K extends Comparable<K>, V> {
  /** The initial number of slots of a bulk-loaded node, which leaves free slots for insertions. */
  private static final int LEAF_FILL = MapNode.LEAF_MAX * 3 / 4;

  private static final int INNER_FILL = MapNode.INNER_MAX * 3 / 4;

  private final List<MapNode<K, V>> nodes = new ArrayList<>();

  /** The bounds between neighbouring nodes. */
  private final List<K> bounds = new ArrayList<>();

  private MapLevel() {}

  /**
   * The lowest level.
   *
   * @param keys in ascending order, at least one
   * @param values the values, or stubs of them
   */
  static <K extends Comparable<K>, V> MapLevel<K, V> leaves(Object[] keys, Object[] values) {
    MapLevel<K, V> level = new MapLevel<>();
    int count = nodesFor(keys.length, LEAF_FILL);
    for (int i = 0; i < count; i++) {
      int from = startOf(i, count, keys.length);
      int to = startOf(i + 1, count, keys.length);
      Leaf<K, V> leaf =
          new Leaf<>(Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(values, from, to), 0);
      if (i > 0) {
        level.bound(SortedKeys.between(level.lastKey(), leaf.firstKey()));
      }
      level.addInParts(leaf);
    }
    return level;
  }

  private void bound(K bound) {
    bounds.add(bound);
  }

  private void addInParts(MapNode<K, V> node) {
    if (node.isTooLarge()) {
      MapHalves<K, V> halves = node.split();
      addInParts(halves.left());
      bound(halves.bound());
      addInParts(halves.right());
    } else {
      nodes.add(node);
    }
  }

  private K lastKey() {
    MapNode<K, V> last = nodes.get(nodes.size() - 1);
    return last.key(last.count() - 1);
  }

  /** Builds the levels above and returns the single node of the highest. */
  MapNode<K, V> root() {
    MapLevel<K, V> level = this;
    while (level.nodes.size() > 1) {
      level = level.above();
    }
    return level.nodes.get(0);
  }

  private MapLevel<K, V> above() {
    MapLevel<K, V> above = new MapLevel<>();
    int count = nodesFor(nodes.size(), INNER_FILL);
    for (int i = 0; i < count; i++) {
      int from = startOf(i, count, nodes.size());
      int to = startOf(i + 1, count, nodes.size());
      if (i > 0) {
        above.bound(bounds.get(from - 1));
      }
      above.addInParts(
          new Inner<K, V>(
              new SortedKeys<>(bounds.subList(from, to - 1).toArray()),
              nodes.subList(from, to).toArray(MapNode.<K, V>newNodes(0)),
              0));
    }
    return above;
  }

  private static int nodesFor(int slots, int fill) {
    return (slots + fill - 1) / fill;
  }

  private static int startOf(int node, int nodes, int slots) {
    return (int) ((long) node * slots / nodes);
  }
}
