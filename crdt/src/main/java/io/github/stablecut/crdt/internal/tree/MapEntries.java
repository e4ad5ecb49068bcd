package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import io.github.stablecut.crdt.internal.tree.MapNode.Leaf;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the entries of a {@link PersistentMap} in ascending order of keys. Confined to one
 * thread.
 */
final class MapEntries<K extends Comparable<K>, V> implements Iterator<Map.Entry<K, V>> {
  private static final int MAX_DEPTH = 16;

  private final Inner<?, ?>[] path;
  private final int[] childIndexes;
  private int depth;
  private @Nullable Leaf<K, V> leaf;
  private int slot;

  MapEntries(@Nullable MapNode<K, V> root) {
    int maxDepth = root instanceof Inner ? MAX_DEPTH : 0;
    path = new Inner<?, ?>[maxDepth];
    childIndexes = new int[maxDepth];
    descend(root);
  }

  private void descend(@Nullable MapNode<K, V> from) {
    MapNode<K, V> node = from;
    while (node instanceof Inner<K, V> inner) {
      path[depth] = inner;
      childIndexes[depth++] = 0;
      node = inner.child(0);
    }
    leaf = (Leaf<K, V>) node;
    slot = 0;
  }

  @Override
  public boolean hasNext() {
    return leaf != null;
  }

  @Override
  public Map.Entry<K, V> next() {
    Leaf<K, V> current = leaf;
    if (current == null) {
      throw new NoSuchElementException();
    }
    Map.Entry<K, V> entry = current.entry(slot);
    if (++slot == current.slots()) {
      advance();
    }
    return entry;
  }

  @SuppressWarnings("unchecked") // the path holds nodes of this tree
  private void advance() {
    leaf = null;
    while (depth > 0) {
      Inner<K, V> parent = (Inner<K, V>) path[depth - 1];
      int childIndex = ++childIndexes[depth - 1];
      if (childIndex < parent.slots()) {
        descend(parent.child(childIndex));
        return;
      }
      depth--;
    }
  }
}
