package io.github.stablecut.crdt;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map in key order whose changed copies share all but a few nodes with it: a B+ tree
 * (Bayer and McCreight 1972) with copied paths. Changing one entry of a million copies four nodes
 * of at most {@value #MAX} slots. Chosen over a hash trie because states are written and read in
 * key order, which here is a walk. Equality is by content, whatever the shape of the tree.
 *
 * @param <K> ordered consistently with equals
 */
final class PersistentMap<K extends Comparable<K>, V> implements Iterable<Map.Entry<K, V>> {
  /** The most slots of a node. */
  private static final int MAX = 32;

  /** The slots of a node that is built at once: room for some to be added. */
  private static final int FILL = MAX * 3 / 4;

  /** A node with fewer slots is joined with a neighbour. */
  private static final int MIN = MAX / 4;

  private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(null, 0);

  private final @Nullable Node<K, V> root;
  private final int size;

  private PersistentMap(@Nullable Node<K, V> root, int size) {
    this.root = root;
    this.size = size;
  }

  @SuppressWarnings("unchecked") // holds nothing
  static <K extends Comparable<K>, V> PersistentMap<K, V> empty() {
    return (PersistentMap<K, V>) EMPTY;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  @Nullable V get(K key) {
    Node<K, V> node = root;
    while (node instanceof Inner<K, V> inner) {
      node = inner.children[inner.childOf(key)];
    }
    return node instanceof Leaf<K, V> leaf ? leaf.get(key) : null;
  }

  V getOrDefault(K key, V otherwise) {
    V value = get(key);
    return value == null ? otherwise : value;
  }

  boolean containsKey(K key) {
    return get(key) != null;
  }

  /** The entry with the greatest key at or below another; null if there is none. */
  Map.@Nullable Entry<K, V> floorEntry(K key) {
    return root == null ? null : root.below(key, true);
  }

  /** The entry with the greatest key below another; null if there is none. */
  Map.@Nullable Entry<K, V> lowerEntry(K key) {
    return root == null ? null : root.below(key, false);
  }

  /** The entry with the least key above another; null if there is none. */
  Map.@Nullable Entry<K, V> higherEntry(K key) {
    return root == null ? null : root.above(key);
  }

  /** This map with a value for a key, in the place of its value if it has one. */
  PersistentMap<K, V> with(K key, V value) {
    if (root == null) {
      return new PersistentMap<>(new Leaf<K, V>(new Object[] {key}, new Object[] {value}), 1);
    }
    boolean added = !containsKey(key);
    Node<K, V> changed = root.with(key, value);
    Node<K, V> grown = changed.slots() > MAX ? new Inner<K, V>(changed.split()) : changed;
    return new PersistentMap<>(grown, added ? size + 1 : size);
  }

  /** This map without a key; itself if the key is not there. */
  PersistentMap<K, V> without(K key) {
    if (root == null || !containsKey(key)) {
      return this;
    }
    if (size == 1) {
      return empty();
    }
    Node<K, V> changed = root.without(key);
    while (changed instanceof Inner<K, V> inner && inner.children.length == 1) {
      changed = inner.children[0];
    }
    return new PersistentMap<>(changed, size - 1);
  }

  /** The value of the greatest key. */
  Optional<V> lastValue() {
    Node<K, V> node = root;
    while (node instanceof Inner<K, V> inner) {
      node = inner.children[inner.children.length - 1];
    }
    return node instanceof Leaf<K, V> leaf
        ? Optional.of(leaf.value(leaf.slots() - 1))
        : Optional.empty();
  }

  /** Writes the number of entries and each of them. */
  void write(
      Encoder out, BiConsumer<? super K, Encoder> key, BiConsumer<? super V, Encoder> value) {
    out.writeUnsigned(size);
    forEach(
        (k, v) -> {
          key.accept(k, out);
          value.accept(v, out);
        });
  }

  /** Reads what {@link #write} wrote, values that don't depend on their keys. */
  static <K extends Comparable<K>, V> PersistentMap<K, V> read(
      Decoder in, int minEntryBytes, Function<Decoder, K> key, Function<Decoder, V> value) {
    return read(in, minEntryBytes, key, (k, from) -> value.apply(from));
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param minEntryBytes what an entry takes at least, above 0
   */
  static <K extends Comparable<K>, V> PersistentMap<K, V> read(
      Decoder in, int minEntryBytes, Function<Decoder, K> key, BiFunction<K, Decoder, V> value) {
    int size = in.readCount(minEntryBytes);
    Object[] keys = new Object[size];
    Object[] values = new Object[size];
    K last = null;
    for (int i = 0; i < size; i++) {
      K next = key.apply(in);
      if (last != null && last.compareTo(next) >= 0) {
        throw new FormatException("not in ascending order: " + last + ", " + next);
      }
      last = next;
      keys[i] = next;
      values[i] = value.apply(next, in);
    }
    return ofAscending(keys, values);
  }

  /** A map of keys in ascending order, in linear time. */
  private static <K extends Comparable<K>, V> PersistentMap<K, V> ofAscending(
      Object[] keys, Object[] values) {
    if (keys.length == 0) {
      return empty();
    }
    Node<K, V>[] level = newNodes(nodesFor(keys.length));
    for (int i = 0; i < level.length; i++) {
      int from = startOf(i, level.length, keys.length);
      int to = startOf(i + 1, level.length, keys.length);
      level[i] =
          new Leaf<K, V>(Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(values, from, to));
    }
    while (level.length > 1) {
      Node<K, V>[] above = newNodes(nodesFor(level.length));
      for (int i = 0; i < above.length; i++) {
        above[i] =
            new Inner<K, V>(
                Arrays.copyOfRange(
                    level,
                    startOf(i, above.length, level.length),
                    startOf(i + 1, above.length, level.length)));
      }
      level = above;
    }
    return new PersistentMap<>(level[0], keys.length);
  }

  private static int nodesFor(int slots) {
    return (slots + FILL - 1) / FILL;
  }

  private static int startOf(int node, int nodes, int slots) {
    return (int) ((long) node * slots / nodes);
  }

  /** Visits the entries in ascending order of their keys. */
  void forEach(BiConsumer<? super K, ? super V> visitor) {
    if (root != null) {
      root.forEach(visitor);
    }
  }

  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return new Entries<>(root);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof PersistentMap<?, ?> that) || size != that.size) {
      return false;
    }
    Iterator<? extends Map.Entry<?, ?>> others = that.iterator();
    for (Map.Entry<K, V> entry : this) {
      if (!entry.equals(others.next())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int hash = 0;
    for (Map.Entry<K, V> entry : this) {
      hash += entry.hashCode();
    }
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    forEach(
        (key, value) ->
            text.append(text.length() > 1 ? ", " : "").append(key).append('=').append(value));
    return text.append('}').toString();
  }

  private abstract static sealed class Node<K extends Comparable<K>, V> {
    abstract int slots();

    abstract K firstKey();

    /** May have one slot more than a node may keep; the parent splits it. */
    abstract Node<K, V> with(K key, V value);

    /**
     * May have fewer slots than a node should keep; the parent joins it with a neighbour. The key
     * is there.
     */
    abstract Node<K, V> without(K key);

    abstract Map.@Nullable Entry<K, V> below(K key, boolean orAt);

    abstract Map.@Nullable Entry<K, V> above(K key);

    abstract Node<K, V>[] split();

    abstract Node<K, V> joinedWith(Node<K, V> next);

    abstract void forEach(BiConsumer<? super K, ? super V> visitor);
  }

  private static final class Leaf<K extends Comparable<K>, V> extends Node<K, V> {
    private final Object[] keys;
    private final Object[] values;

    Leaf(Object[] keys, Object[] values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    int slots() {
      return keys.length;
    }

    @SuppressWarnings("unchecked") // only keys are put in
    K key(int slot) {
      return (K) keys[slot];
    }

    @SuppressWarnings("unchecked") // only values are put in
    V value(int slot) {
      return (V) values[slot];
    }

    @Override
    K firstKey() {
      return key(0);
    }

    @Nullable V get(K key) {
      int slot = Arrays.binarySearch(keys, key);
      return slot < 0 ? null : value(slot);
    }

    @Override
    Map.@Nullable Entry<K, V> below(K key, boolean orAt) {
      int found = Arrays.binarySearch(keys, key);
      return entry(found < 0 ? -found - 2 : orAt ? found : found - 1);
    }

    @Override
    Map.@Nullable Entry<K, V> above(K key) {
      int found = Arrays.binarySearch(keys, key);
      return entry(found < 0 ? -found - 1 : found + 1);
    }

    private Map.@Nullable Entry<K, V> entry(int slot) {
      return slot < 0 || slot == keys.length ? null : Map.entry(key(slot), value(slot));
    }

    @Override
    Node<K, V> with(K key, V value) {
      int slot = Arrays.binarySearch(keys, key);
      if (slot >= 0) {
        Object[] changed = values.clone();
        changed[slot] = value;
        return new Leaf<K, V>(keys, changed);
      }
      return new Leaf<K, V>(inserted(keys, -slot - 1, key), inserted(values, -slot - 1, value));
    }

    @Override
    Node<K, V> without(K key) {
      int slot = Arrays.binarySearch(keys, key);
      return new Leaf<K, V>(removed(keys, slot), removed(values, slot));
    }

    @Override
    Node<K, V>[] split() {
      int half = keys.length / 2;
      return pair(
          new Leaf<K, V>(Arrays.copyOf(keys, half), Arrays.copyOf(values, half)),
          new Leaf<K, V>(
              Arrays.copyOfRange(keys, half, keys.length),
              Arrays.copyOfRange(values, half, values.length)));
    }

    @Override
    Node<K, V> joinedWith(Node<K, V> next) {
      Leaf<K, V> leaf = (Leaf<K, V>) next;
      return new Leaf<K, V>(joined(keys, leaf.keys), joined(values, leaf.values));
    }

    @Override
    void forEach(BiConsumer<? super K, ? super V> visitor) {
      for (int slot = 0; slot < keys.length; slot++) {
        visitor.accept(key(slot), value(slot));
      }
    }
  }

  private static final class Inner<K extends Comparable<K>, V> extends Node<K, V> {
    private final Node<K, V>[] children;

    /**
     * The least key that each child but the first held when it was made: what is below it is in an
     * earlier child.
     */
    private final Object[] bounds;

    Inner(Node<K, V>[] children) {
      this(children, boundsOf(children));
    }

    private Inner(Node<K, V>[] children, Object[] bounds) {
      this.children = children;
      this.bounds = bounds;
    }

    private static <K extends Comparable<K>, V> Object[] boundsOf(Node<K, V>[] children) {
      Object[] bounds = new Object[children.length - 1];
      for (int i = 0; i < bounds.length; i++) {
        bounds[i] = children[i + 1].firstKey();
      }
      return bounds;
    }

    int childOf(K key) {
      int bound = Arrays.binarySearch(bounds, key);
      return bound >= 0 ? bound + 1 : -bound - 1;
    }

    @Override
    int slots() {
      return children.length;
    }

    @Override
    K firstKey() {
      return children[0].firstKey();
    }

    @Override
    Map.@Nullable Entry<K, V> below(K key, boolean orAt) {
      int place = childOf(key);
      Map.Entry<K, V> found = children[place].below(key, orAt);
      while (found == null && place > 0) {
        found = children[--place].below(key, orAt);
      }
      return found;
    }

    @Override
    Map.@Nullable Entry<K, V> above(K key) {
      int place = childOf(key);
      Map.Entry<K, V> found = children[place].above(key);
      while (found == null && place + 1 < children.length) {
        found = children[++place].above(key);
      }
      return found;
    }

    @Override
    Node<K, V> with(K key, V value) {
      int place = childOf(key);
      Node<K, V> child = children[place].with(key, value);
      return child.slots() > MAX
          ? replaced(place, place + 1, child.split())
          : replaced(place, child);
    }

    @Override
    Node<K, V> without(K key) {
      int place = childOf(key);
      Node<K, V> child = children[place].without(key);
      if (child.slots() >= MIN || children.length == 1) {
        return replaced(place, child);
      }
      int left = place > 0 ? place - 1 : place;
      Node<K, V> joined =
          place > 0 ? children[left].joinedWith(child) : child.joinedWith(children[1]);
      return joined.slots() > MAX
          ? replaced(left, left + 2, joined.split())
          : replaced(left, left + 2, single(joined));
    }

    private Inner<K, V> replaced(int place, Node<K, V> child) {
      Node<K, V>[] changed = children.clone();
      changed[place] = child;
      return new Inner<K, V>(changed, bounds);
    }

    private Inner<K, V> replaced(int from, int to, Node<K, V>[] with) {
      Node<K, V>[] changed = newNodes(children.length - (to - from) + with.length);
      System.arraycopy(children, 0, changed, 0, from);
      System.arraycopy(with, 0, changed, from, with.length);
      System.arraycopy(children, to, changed, from + with.length, children.length - to);
      return new Inner<K, V>(changed);
    }

    @Override
    Node<K, V>[] split() {
      int half = children.length / 2;
      return pair(
          new Inner<K, V>(Arrays.copyOf(children, half)),
          new Inner<K, V>(Arrays.copyOfRange(children, half, children.length)));
    }

    @Override
    Node<K, V> joinedWith(Node<K, V> next) {
      Inner<K, V> inner = (Inner<K, V>) next;
      Node<K, V>[] joined = Arrays.copyOf(children, children.length + inner.children.length);
      System.arraycopy(inner.children, 0, joined, children.length, inner.children.length);
      return new Inner<K, V>(joined);
    }

    @Override
    void forEach(BiConsumer<? super K, ? super V> visitor) {
      for (Node<K, V> child : children) {
        child.forEach(visitor);
      }
    }
  }

  /** A walk over the leaves from left to right. */
  private static final class Entries<K extends Comparable<K>, V>
      implements Iterator<Map.Entry<K, V>> {
    private static final int MAX_DEPTH = 16;

    private final Inner<?, ?>[] path = new Inner<?, ?>[MAX_DEPTH];
    private final int[] places = new int[MAX_DEPTH];
    private int depth;
    private @Nullable Leaf<K, V> leaf;
    private int slot;

    Entries(@Nullable Node<K, V> root) {
      descend(root);
    }

    private void descend(@Nullable Node<K, V> from) {
      Node<K, V> node = from;
      while (node instanceof Inner<K, V> inner) {
        path[depth] = inner;
        places[depth++] = 0;
        node = inner.children[0];
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
      Map.Entry<K, V> entry = Map.entry(current.key(slot), current.value(slot));
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
        int place = ++places[depth - 1];
        if (place < parent.children.length) {
          descend(parent.children[place]);
          return;
        }
        depth--;
      }
    }
  }

  private static Object[] inserted(Object[] array, int slot, Object element) {
    Object[] changed = new Object[array.length + 1];
    System.arraycopy(array, 0, changed, 0, slot);
    changed[slot] = element;
    System.arraycopy(array, slot, changed, slot + 1, array.length - slot);
    return changed;
  }

  private static Object[] removed(Object[] array, int slot) {
    Object[] changed = new Object[array.length - 1];
    System.arraycopy(array, 0, changed, 0, slot);
    System.arraycopy(array, slot + 1, changed, slot, changed.length - slot);
    return changed;
  }

  private static Object[] joined(Object[] left, Object[] right) {
    Object[] joined = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, joined, left.length, right.length);
    return joined;
  }

  private static <K extends Comparable<K>, V> Node<K, V>[] single(Node<K, V> node) {
    Node<K, V>[] nodes = newNodes(1);
    nodes[0] = node;
    return nodes;
  }

  private static <K extends Comparable<K>, V> Node<K, V>[] pair(Node<K, V> left, Node<K, V> right) {
    Node<K, V>[] nodes = newNodes(2);
    nodes[0] = left;
    nodes[1] = right;
    return nodes;
  }

  @SuppressWarnings(
      "unchecked") // an array of nodes of any kind of key is one of nodes of this kind
  private static <K extends Comparable<K>, V> Node<K, V>[] newNodes(int length) {
    return (Node<K, V>[]) new Node<?, ?>[length];
  }
}
