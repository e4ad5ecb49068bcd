package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link PersistentMap}. A leaf's keys are those of its entries. An inner node's keys
 * are the bounds between its children: keys below a bound are in an earlier child. Immutable.
 */
abstract sealed class MapNode<K extends Comparable<K>, V> extends SortedKeys<K>
    permits MapNode.Leaf, MapNode.Inner, MapStub {
  /** The maximum number of slots of a leaf: each change copies one leaf. */
  static final int LEAF_MAX = 32;

  /** The maximum number of slots of an inner node, at most 64: more slots, fewer levels. */
  static final int INNER_MAX = 64;

  /**
   * The maximum size of a leaf's keys in bytes, unless there is one key: reading one key reads the
   * page with all of them. Also applies to the bounds of an inner node, unless they are few: a
   * bound is a prefix that separates two children, which is long only for keys that differ at their
   * ends.
   */
  static final int MAX_KEY_BYTES = 64 << 10;

  /** A node with less than this fraction (1/4) of the maximum slots is merged with a neighbour. */
  private static final int MIN_SHARE = 4;

  /**
   * An inner node with fewer than twice this many slots is not split, whatever the size of its
   * bounds, which limits the tree to ten levels ({@link TreePath}). Such bounds take at most 15
   * MiB, because elements and names take at most 1 MiB each.
   */
  private static final int HEAVY_MIN = 8;

  /** The number of visible entries below ({@link Hideable}). */
  private final int visible;

  /** The number of the page that the node was read from or replaces ({@link Pages}); 0 for none. */
  private final int page;

  MapNode(SortedKeys<K> keys, int visible, int page) {
    super(keys);
    this.visible = visible;
    this.page = page;
  }

  final int page() {
    return page;
  }

  /** This node with its keys in memory; reads its page if necessary. */
  MapNode<K, V> loaded() {
    return this;
  }

  /** Reports that a changed copy replaces this node and keeps the content of its page in memory. */
  void copied() {}

  /** Whether pruning leaves all values unchanged, whatever the frontier. */
  abstract boolean isSettled(Predicate<? super V> isValueSettled);

  /** Visits the entries in ascending order, except in pages with settled values only. */
  abstract void forEachUnsettled(BiConsumer<? super K, ? super V> visitor);

  final int visible() {
    return visible;
  }

  /** A change of the value of one key. */
  abstract static class Edit {
    /** The change of the number of entries: -1, 0 or 1. */
    private int growth;

    /**
     * The new value of a key; null to remove the entry.
     *
     * @param stored the value or {@link ValueStub} in the leaf, null if the key is absent; return
     *     it to keep the value
     */
    abstract @Nullable Object after(@Nullable Object stored);

    int growth() {
      return growth;
    }
  }

  abstract int slots();

  /** Whether the node exceeds its maximum size and can be split. */
  abstract boolean isTooLarge();

  /** Whether the node should be merged with a neighbour. */
  abstract boolean isTooSmall();

  /** Whether the keys exceed {@link #MAX_KEY_BYTES}; ignores unchanged pages. */
  abstract boolean isHeavy(PageWriter out);

  /**
   * Applies a change; returns this node if nothing changes. The result may be too large or too
   * small: the parent then splits it or merges it with a neighbour.
   */
  abstract MapNode<K, V> edited(Edit edit, TreePath<K, V> path, int level);

  abstract Map.@Nullable Entry<K, V> below(K key, boolean orAt);

  abstract Map.@Nullable Entry<K, V> above(K key);

  /**
   * The number of visible entries with keys below one.
   *
   * @param orAt whether to count the entry with the key itself
   */
  abstract int rank(K key, boolean orAt);

  abstract MapHalves<K, V> split();

  /**
   * Merges this node with its next neighbour.
   *
   * @param bound the bound between them in their parent
   */
  abstract MapNode<K, V> joinedWith(K bound, MapNode<K, V> next);

  abstract void forEach(BiConsumer<? super K, ? super V> visitor);

  /** A leaf, which holds entries. */
  static final class Leaf<K extends Comparable<K>, V> extends MapNode<K, V> {
    /** Values, or stubs of values in pages of their own. */
    private final Object[] values;

    Leaf(Object[] keys, Object[] values, int page) {
      this(new SortedKeys<>(keys), values, page);
    }

    private Leaf(SortedKeys<K> keys, Object[] values, int page) {
      super(keys, visibleOf(values, values.length), page);
      this.values = values;
    }

    /**
     * The number of visible ones among the first values. Either all values are {@link Hideable} or
     * none.
     */
    private static int visibleOf(Object[] values, int length) {
      if (length == 0 || !(values[0] instanceof Hideable)) {
        return length;
      }
      int visible = 0;
      for (int slot = 0; slot < length; slot++) {
        visible += ValueStub.isVisible(values[slot]) ? 1 : 0;
      }
      return visible;
    }

    boolean isVisible(int slot) {
      return ValueStub.isVisible(values[slot]);
    }

    /** Whether a key is visible. Reads its value only if some entry is hidden. */
    boolean isVisible(K key, int knownCommon) {
      int slot = search(key, knownCommon);
      return slot >= 0 && (visible() == values.length || isVisible(slot));
    }

    @Override
    int rank(K key, boolean orAt) {
      int found = search(key, 0);
      return visibleOf(values, found < 0 ? -found - 1 : orAt ? found + 1 : found);
    }

    @Override
    int slots() {
      return values.length;
    }

    @Override
    boolean isTooLarge() {
      return slots() > LEAF_MAX || (keyBytes() > MAX_KEY_BYTES && slots() > 1);
    }

    @Override
    boolean isTooSmall() {
      return slots() < LEAF_MAX / MIN_SHARE && keyBytes() < MAX_KEY_BYTES / MIN_SHARE;
    }

    @Override
    boolean isHeavy(PageWriter out) {
      return keyBytes() > MAX_KEY_BYTES;
    }

    /** The value of a key, or its stub; null if the key is absent. */
    @Nullable Object stored(K key, int knownCommon) {
      int slot = search(key, knownCommon);
      return slot < 0 ? null : values[slot];
    }

    /** The value in a slot, or its stub. */
    Object stored(int slot) {
      return values[slot];
    }

    @SuppressWarnings("unchecked") // slots hold only values and their stubs
    V value(int slot) {
      return (V) ValueStub.loaded(values[slot]);
    }

    /** The entry in a slot; its value is read on first use. */
    @SuppressWarnings("unchecked") // slots hold only stubs of this map
    Map.Entry<K, V> entry(int slot) {
      return values[slot] instanceof ValueStub<?, ?> stub
          ? (ValueStub<K, V>) stub
          : Map.entry(key(slot), value(slot));
    }

    K firstKey() {
      return key(0);
    }

    K lastKey() {
      return key(values.length - 1);
    }

    @Override
    MapNode<K, V> edited(Edit edit, TreePath<K, V> path, int level) {
      int slot = path.slot();
      Object before = path.stored();
      Object after = edit.after(before);
      if (after == before) {
        return this;
      }
      if (after == null) {
        edit.growth = -1;
        return new Leaf<>(removed(slot), PersistentArrays.removed(values, slot), page());
      }
      if (before == null) {
        edit.growth = 1;
        int at = -slot - 1;
        return new Leaf<>(
            inserted(at, path.key()), PersistentArrays.inserted(values, at, after), page());
      }
      ValueStub.copied(before);
      return new Leaf<>(this, PersistentArrays.replaced(values, slot, after), page());
    }

    @Override
    Map.@Nullable Entry<K, V> below(K key, boolean orAt) {
      int found = search(key, 0);
      return entryIfThere(found < 0 ? -found - 2 : orAt ? found : found - 1);
    }

    @Override
    Map.@Nullable Entry<K, V> above(K key) {
      int found = search(key, 0);
      return entryIfThere(found < 0 ? -found - 1 : found + 1);
    }

    private Map.@Nullable Entry<K, V> entryIfThere(int slot) {
      return slot < 0 || slot == values.length ? null : entry(slot);
    }

    @Override
    MapHalves<K, V> split() {
      int half = keyBytes() > MAX_KEY_BYTES ? halfOfBytes() : values.length / 2;
      K bound = between(key(half - 1), key(half));
      return new MapHalves<>(
          new Leaf<>(part(0, half), Arrays.copyOf(values, half), page()),
          bound,
          new Leaf<>(
              part(half, values.length), Arrays.copyOfRange(values, half, values.length), 0));
    }

    @Override
    MapNode<K, V> joinedWith(K bound, MapNode<K, V> next) {
      return new Leaf<>(
          joined(next), PersistentArrays.joined(values, ((Leaf<K, V>) next).values), page());
    }

    @Override
    void forEach(BiConsumer<? super K, ? super V> visitor) {
      for (int slot = 0; slot < values.length; slot++) {
        visitor.accept(key(slot), value(slot));
      }
    }

    @Override
    void forEachUnsettled(BiConsumer<? super K, ? super V> visitor) {
      for (int slot = 0; slot < values.length; slot++) {
        if (!(values[slot] instanceof ValueStub<?, ?> stub && stub.isSettled())) {
          visitor.accept(key(slot), value(slot));
        }
      }
    }

    @Override
    boolean isSettled(Predicate<? super V> isValueSettled) {
      for (int slot = 0; slot < values.length; slot++) {
        boolean isSettled =
            values[slot] instanceof ValueStub<?, ?> stub
                ? stub.isSettled()
                : isValueSettled.test(value(slot));
        if (!isSettled) {
          return false;
        }
      }
      return true;
    }
  }

  /** An inner node, which holds children. */
  static final class Inner<K extends Comparable<K>, V> extends MapNode<K, V> {
    private final MapNode<K, V>[] children;

    Inner(SortedKeys<K> bounds, MapNode<K, V>[] children, int page) {
      super(bounds, visibleOf(children, children.length), page);
      this.children = children;
    }

    private static int visibleOf(MapNode<?, ?>[] children, int length) {
      int visible = 0;
      for (int index = 0; index < length; index++) {
        visible += children[index].visible();
      }
      return visible;
    }

    @Override
    int rank(K key, boolean orAt) {
      int index = childOf(key, 0);
      return visibleOf(children, index) + child(index).rank(key, orAt);
    }

    int childOf(K key, int knownCommon) {
      int bound = search(key, knownCommon);
      return bound >= 0 ? bound + 1 : -bound - 1;
    }

    MapNode<K, V> child(int index) {
      return children[index].loaded();
    }

    /** A child, possibly not yet read. */
    MapNode<K, V> stored(int index) {
      return children[index];
    }

    int visibleIn(int index) {
      return children[index].visible();
    }

    @Override
    int slots() {
      return children.length;
    }

    @Override
    boolean isTooLarge() {
      return slots() > INNER_MAX || (keyBytes() > MAX_KEY_BYTES && slots() >= 2 * HEAVY_MIN);
    }

    @Override
    boolean isTooSmall() {
      return slots() < HEAVY_MIN / 2
          || (slots() < INNER_MAX / MIN_SHARE && keyBytes() < MAX_KEY_BYTES / MIN_SHARE);
    }

    @Override
    boolean isHeavy(PageWriter out) {
      int bytes = 0;
      for (MapNode<K, V> child : children) {
        if (child.isHeavy(out)) {
          return true;
        }
        bytes += child.loaded().keyBytes();
      }
      return bytes > MAX_KEY_BYTES;
    }

    @Override
    Map.@Nullable Entry<K, V> below(K key, boolean orAt) {
      int index = childOf(key, 0);
      Map.Entry<K, V> found = child(index).below(key, orAt);
      while (found == null && index > 0) {
        found = child(--index).below(key, orAt);
      }
      return found;
    }

    @Override
    Map.@Nullable Entry<K, V> above(K key) {
      int index = childOf(key, 0);
      Map.Entry<K, V> found = child(index).above(key);
      while (found == null && index + 1 < children.length) {
        found = child(++index).above(key);
      }
      return found;
    }

    @Override
    MapNode<K, V> edited(Edit edit, TreePath<K, V> path, int level) {
      int index = path.index(level);
      MapNode<K, V> before = child(index);
      MapNode<K, V> child = before.edited(edit, path, level + 1);
      if (child == before) {
        return this;
      }
      children[index].copied();
      if (child.isTooLarge()) {
        MapHalves<K, V> halves = child.split();
        return new Inner<>(
            inserted(index, halves.bound()),
            PersistentArrays.replaced(children, index, index + 1, halves.pair()),
            page());
      }
      if (child.slots() >= before.slots() || !child.isTooSmall() || children.length == 1) {
        return new Inner<>(this, PersistentArrays.replaced(children, index, child), page());
      }
      int left = index > 0 ? index - 1 : index;
      K bound = key(left);
      MapNode<K, V> joined =
          index > 0 ? child(left).joinedWith(bound, child) : child.joinedWith(bound, child(1));
      children[index > 0 ? left : 1].copied();
      SortedKeys<K> bounds = removed(left);
      if (!joined.isTooLarge()) {
        return new Inner<>(
            bounds, PersistentArrays.replaced(children, left, left + 2, single(joined)), page());
      }
      MapHalves<K, V> halves = joined.split();
      return new Inner<>(
          bounds.inserted(left, halves.bound()),
          PersistentArrays.replaced(children, left, left + 2, halves.pair()),
          page());
    }

    @Override
    MapHalves<K, V> split() {
      int half = keyBytes() > MAX_KEY_BYTES ? halfOfHeavy() : children.length / 2;
      return new MapHalves<>(
          new Inner<>(part(0, half - 1), Arrays.copyOf(children, half), page()),
          key(half - 1),
          new Inner<>(
              part(half, children.length - 1),
              Arrays.copyOfRange(children, half, children.length),
              0));
    }

    /** The number of children of the left half, chosen so that their bounds take half the bytes. */
    private int halfOfHeavy() {
      return Math.max(HEAVY_MIN, Math.min(children.length - HEAVY_MIN, halfOfBytes() + 1));
    }

    @Override
    MapNode<K, V> joinedWith(K bound, MapNode<K, V> next) {
      return new Inner<>(
          inserted(count(), bound).joined(next),
          PersistentArrays.joined(children, ((Inner<K, V>) next).children),
          page());
    }

    @Override
    void forEach(BiConsumer<? super K, ? super V> visitor) {
      for (MapNode<K, V> child : children) {
        child.forEach(visitor);
      }
    }

    @Override
    void forEachUnsettled(BiConsumer<? super K, ? super V> visitor) {
      for (MapNode<K, V> child : children) {
        child.forEachUnsettled(visitor);
      }
    }

    @Override
    boolean isSettled(Predicate<? super V> isValueSettled) {
      for (MapNode<K, V> child : children) {
        if (!child.isSettled(isValueSettled)) {
          return false;
        }
      }
      return true;
    }
  }

  private static <K extends Comparable<K>, V> MapNode<K, V>[] single(MapNode<K, V> node) {
    MapNode<K, V>[] nodes = newNodes(1);
    nodes[0] = node;
    return nodes;
  }

  @SuppressWarnings("unchecked") // an array of wildcard nodes can hold nodes of this key type
  static <K extends Comparable<K>, V> MapNode<K, V>[] newNodes(int length) {
    return (MapNode<K, V>[]) new MapNode<?, ?>[length];
  }
}
