package io.github.stablecut.crdt;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link PersistentMap}. Its keys are those of its entries in a leaf; in an inner node
 * they are bounds, the least key that each child but the first held when it was made: what is below
 * it is in an earlier child. Immutable.
 */
abstract sealed class MapNode<K extends Comparable<K>, V> extends SortedKeys<K>
    permits MapNode.Leaf, MapNode.Inner, MapStub {
  /** The most slots of a leaf: each change copies one. */
  static final int LEAF_MAX = 32;

  /** The most slots of an inner node: the more, the fewer have to be searched. At most 64. */
  static final int INNER_MAX = 64;

  /**
   * What the keys of a leaf take at most, in bytes, unless it is one key: whoever needs one of them
   * reads the page that holds all. The bounds of an inner node too, unless they are few: they are
   * what tells its children apart, which is much only of keys that differ at their ends.
   */
  static final int MAX_KEY_BYTES = 64 << 10;

  /** A node with fewer of its most slots than one in so many is joined with a neighbour. */
  private static final int MIN_SHARE = 4;

  /**
   * An inner node of fewer than twice as many slots is not split, whatever its bounds take: there
   * are ten levels at most ({@link TreePath}). So its bounds take at most 15 MiB, as elements and
   * names are at most 1 MiB.
   */
  private static final int HEAVY_MIN = 8;

  /** How many of the entries below readers see ({@link Hideable}). */
  private final int visible;

  /** The number of the page that it is read from or replaces ({@link Pages}); 0 for none. */
  private final int page;

  MapNode(SortedKeys<K> keys, int visible, int page) {
    super(keys);
    this.visible = visible;
    this.page = page;
  }

  final int page() {
    return page;
  }

  /** This node with its keys in memory. */
  MapNode<K, V> loaded() {
    return this;
  }

  /** A changed copy comes in its place, which holds what the page holds that it is read from. */
  void copied() {}

  /** Whether pruning changes none of the values, whatever the frontier. */
  abstract boolean isSettled(Predicate<? super V> isValueSettled);

  /** Visits the entries in ascending order, but for pages in which all values are settled. */
  abstract void forEachUnsettled(BiConsumer<? super K, ? super V> visitor);

  final int visible() {
    return visible;
  }

  /** One change of the value of one key. */
  abstract static class Edit {
    /** How many entries there are more, after it was made. */
    private int growth;

    /**
     * The value that comes in the place of another; null for none.
     *
     * @param stored what a leaf holds of the other, a value or a {@link ValueStub}; to be returned
     *     if the value stays
     */
    abstract @Nullable Object after(@Nullable Object stored);

    int growth() {
      return growth;
    }
  }

  abstract int slots();

  /** Whether it may not stay as it is, and can be split. */
  abstract boolean isTooLarge();

  /** Whether it should be joined with a neighbour. */
  abstract boolean isTooSmall();

  /** Whether its keys take much, as far as that is known without reading pages. */
  abstract boolean isHeavy(PageWriter out);

  /**
   * This node after a change; itself if that changes nothing. May be larger than a node may be, or
   * smaller than it should: the parent splits it, or joins it with a neighbour.
   */
  abstract MapNode<K, V> edited(Edit edit, TreePath<K, V> way, int level);

  abstract Map.@Nullable Entry<K, V> below(K key, boolean orAt);

  abstract Map.@Nullable Entry<K, V> above(K key);

  /**
   * How many visible entries have a lesser key than one.
   *
   * @param orAt counts the one with the key too
   */
  abstract int rank(K key, boolean orAt);

  abstract MapHalves<K, V> split();

  /**
   * This node and its next neighbour in one.
   *
   * @param bound between them in their parent
   */
  abstract MapNode<K, V> joinedWith(K bound, MapNode<K, V> next);

  abstract void forEach(BiConsumer<? super K, ? super V> visitor);

  /** Entries. */
  static final class Leaf<K extends Comparable<K>, V> extends MapNode<K, V> {
    /** Values, and stubs of those that are in pages of their own. */
    private final Object[] values;

    Leaf(Object[] keys, Object[] values, int page) {
      this(new SortedKeys<>(keys), values, page);
    }

    private Leaf(SortedKeys<K> keys, Object[] values, int page) {
      super(keys, visibleOf(values, values.length), page);
      this.values = values;
    }

    /** How many of the first values are visible; all can be hidden, or none can. */
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

    /** Whether readers see a key. Looks at its value only if some of the entries are hidden. */
    boolean isVisible(K key, int known) {
      int slot = search(key, known);
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

    /** The value of a key, or its stub; null if the key is not there. */
    @Nullable Object stored(K key, int known) {
      int slot = search(key, known);
      return slot < 0 ? null : values[slot];
    }

    /** The value in a slot, or its stub. */
    Object stored(int slot) {
      return values[slot];
    }

    @SuppressWarnings("unchecked") // only values and stubs of such are put in
    V value(int slot) {
      return (V) ValueStub.loaded(values[slot]);
    }

    /** The entry in a slot, whose value is read when it is needed. */
    @SuppressWarnings("unchecked") // only stubs of its map are put in
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
    MapNode<K, V> edited(Edit edit, TreePath<K, V> way, int level) {
      int slot = way.slot();
      Object before = way.stored();
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
            inserted(at, way.key()), PersistentArrays.inserted(values, at, after), page());
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

  /** Children. */
  static final class Inner<K extends Comparable<K>, V> extends MapNode<K, V> {
    private final MapNode<K, V>[] children;

    Inner(SortedKeys<K> bounds, MapNode<K, V>[] children, int page) {
      super(bounds, visibleOf(children, children.length), page);
      this.children = children;
    }

    private static int visibleOf(MapNode<?, ?>[] children, int length) {
      int visible = 0;
      for (int place = 0; place < length; place++) {
        visible += children[place].visible();
      }
      return visible;
    }

    @Override
    int rank(K key, boolean orAt) {
      int place = childOf(key, 0);
      return visibleOf(children, place) + child(place).rank(key, orAt);
    }

    int childOf(K key, int known) {
      int bound = search(key, known);
      return bound >= 0 ? bound + 1 : -bound - 1;
    }

    MapNode<K, V> child(int place) {
      return children[place].loaded();
    }

    /** The same, which may still have to be read. */
    MapNode<K, V> stored(int place) {
      return children[place];
    }

    int visibleIn(int place) {
      return children[place].visible();
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
      int place = childOf(key, 0);
      Map.Entry<K, V> found = child(place).below(key, orAt);
      while (found == null && place > 0) {
        found = child(--place).below(key, orAt);
      }
      return found;
    }

    @Override
    Map.@Nullable Entry<K, V> above(K key) {
      int place = childOf(key, 0);
      Map.Entry<K, V> found = child(place).above(key);
      while (found == null && place + 1 < children.length) {
        found = child(++place).above(key);
      }
      return found;
    }

    @Override
    MapNode<K, V> edited(Edit edit, TreePath<K, V> way, int level) {
      int place = way.place(level);
      MapNode<K, V> before = child(place);
      MapNode<K, V> child = before.edited(edit, way, level + 1);
      if (child == before) {
        return this;
      }
      children[place].copied();
      if (child.isTooLarge()) {
        MapHalves<K, V> halves = child.split();
        return new Inner<>(
            inserted(place, halves.bound()),
            PersistentArrays.replaced(children, place, place + 1, halves.pair()),
            page());
      }
      if (child.slots() >= before.slots() || !child.isTooSmall() || children.length == 1) {
        return new Inner<>(this, PersistentArrays.replaced(children, place, child), page());
      }
      int left = place > 0 ? place - 1 : place;
      K bound = key(left);
      MapNode<K, V> joined =
          place > 0 ? child(left).joinedWith(bound, child) : child.joinedWith(bound, child(1));
      children[place > 0 ? left : 1].copied();
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

    /** How many children come to the left, so that their bounds take half of what all take. */
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

  @SuppressWarnings(
      "unchecked") // an array of nodes of any kind of key is one of nodes of this kind
  static <K extends Comparable<K>, V> MapNode<K, V>[] newNodes(int length) {
    return (MapNode<K, V>[]) new MapNode<?, ?>[length];
  }
}
