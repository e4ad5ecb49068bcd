package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import io.github.stablecut.crdt.internal.tree.MapNode.Leaf;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over visible entries of a {@link PersistentMap}, in ascending or descending order, from
 * any rank. Skips nodes without visible entries. Confined to one thread.
 */
final class VisibleEntries<K extends Comparable<K>, V> implements Iterator<Map.Entry<K, V>> {
  private static final int MAX_DEPTH = 16;

  private final Inner<?, ?>[] path;
  private final int[] indexes;
  private final int step;
  private int depth;
  private @Nullable Leaf<K, V> leaf;
  private int slot;
  private int remaining;

  VisibleEntries(@Nullable MapNode<K, V> root, int from, int to, boolean isDescending) {
    int maxDepth = root instanceof Inner ? MAX_DEPTH : 0;
    this.path = new Inner<?, ?>[maxDepth];
    this.indexes = new int[maxDepth];
    this.step = isDescending ? -1 : 1;
    this.remaining = Math.max(0, to - from);
    if (root != null && remaining > 0) {
      seek(root, isDescending ? to - 1 : from);
    }
  }

  private void seek(MapNode<K, V> root, int rank) {
    MapNode<K, V> node = root;
    int rest = rank;
    while (node instanceof Inner<K, V> inner) {
      int index = 0;
      while (inner.visibleIn(index) <= rest) {
        rest -= inner.visibleIn(index++);
      }
      enter(inner, index);
      node = inner.child(index);
    }
    Leaf<K, V> found = (Leaf<K, V>) node;
    int at = 0;
    while (!found.isVisible(at) || rest > 0) {
      rest -= found.isVisible(at) ? 1 : 0;
      at++;
    }
    leaf = found;
    slot = at;
  }

  private void enter(Inner<K, V> inner, int index) {
    path[depth] = inner;
    indexes[depth++] = index;
  }

  @Override
  public boolean hasNext() {
    return remaining > 0;
  }

  @Override
  public Map.Entry<K, V> next() {
    Leaf<K, V> current = leaf;
    if (current == null || remaining == 0) {
      throw new NoSuchElementException();
    }
    Map.Entry<K, V> entry = current.entry(slot);
    if (--remaining > 0) {
      advance(current);
    }
    return entry;
  }

  /** Moves to the next visible entry, which must exist. */
  private void advance(Leaf<K, V> current) {
    Leaf<K, V> in = current;
    int at = slot + step;
    while (true) {
      for (; at >= 0 && at < in.slots(); at += step) {
        if (in.isVisible(at)) {
          leaf = in;
          slot = at;
          return;
        }
      }
      in = nextLeaf();
      at = step > 0 ? 0 : in.slots() - 1;
    }
  }

  /** The next leaf with a visible entry, which must exist. */
  @SuppressWarnings("unchecked") // the path holds nodes of this tree
  private Leaf<K, V> nextLeaf() {
    MapNode<K, V> node = null;
    while (node == null) {
      Inner<K, V> parent = (Inner<K, V>) path[--depth];
      node = firstVisible(parent, indexes[depth] + step);
    }
    while (node instanceof Inner<K, V> inner) {
      MapNode<K, V> child = firstVisible(inner, step > 0 ? 0 : inner.slots() - 1);
      if (child == null) {
        throw new IllegalStateException("a map node counts more visible entries than it has below");
      }
      node = child;
    }
    return (Leaf<K, V>) node;
  }

  /** Enters an inner node at the next child with a visible entry; returns null if there is none. */
  private @Nullable MapNode<K, V> firstVisible(Inner<K, V> inner, int from) {
    for (int index = from; index >= 0 && index < inner.slots(); index += step) {
      if (inner.visibleIn(index) > 0) {
        enter(inner, index);
        return inner.child(index);
      }
    }
    return null;
  }
}
