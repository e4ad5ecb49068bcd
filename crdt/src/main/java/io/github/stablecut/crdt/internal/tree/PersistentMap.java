package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.internal.tree.MapNode.Edit;
import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import io.github.stablecut.crdt.internal.tree.MapNode.Leaf;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map in key order: a B+ tree (Bayer and McCreight 1972) with path copying, so that
 * changed copies share all but a few nodes. Changing one entry of a million copies four nodes of at
 * most 64 slots. Chosen over a hash trie because states are encoded in key order, which is a plain
 * traversal here. Equality is by content, whatever the shape of the tree.
 *
 * @param <K> ordered consistently with equals
 */
public final class PersistentMap<K extends Comparable<K>, V> implements Iterable<Map.Entry<K, V>> {
  private static final Object[] NOTHING = {};
  private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(null, 0);

  private final @Nullable MapNode<K, V> root;
  private final int size;

  /**
   * The path to a key that will probably change, for {@link #pathTo}. Accessed without a lock: a
   * thread that misses another's write only repeats the search.
   */
  private @Nullable TreePath<K, V> lastPath;

  private PersistentMap(@Nullable MapNode<K, V> root, int size) {
    this.root = root;
    this.size = size;
  }

  @SuppressWarnings("unchecked") // holds nothing
  public static <K extends Comparable<K>, V> PersistentMap<K, V> empty() {
    return (PersistentMap<K, V>) EMPTY;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  private @Nullable MapNode<K, V> loadedRoot() {
    return root == null ? null : root.loaded();
  }

  /** The number of visible entries ({@link Hideable}). */
  public int visibleSize() {
    return root == null ? 0 : root.visible();
  }

  /**
   * The number of visible entries with keys below one.
   *
   * @param orAt whether to count the entry with the key itself
   */
  public int rank(K key, boolean orAt) {
    return root == null ? 0 : root.rank(key, orAt);
  }

  /**
   * The visible entries from one rank (inclusive) to another (exclusive).
   *
   * @param isDescending whether to iterate from {@code to} down
   */
  public Iterator<Map.Entry<K, V>> visible(int from, int to, boolean isDescending) {
    return new VisibleEntries<>(loadedRoot(), from, to, isDescending);
  }

  public @Nullable V get(K key) {
    Object stored = stored(key);
    return stored == null ? null : valueOf(stored);
  }

  /** Whether a key is visible. Reads no value in a page of its own. */
  boolean isVisible(K key) {
    MapNode<K, V> node = loadedRoot();
    int knownCommon = 0;
    while (node instanceof Inner<K, V> inner) {
      int index = inner.childOf(key, knownCommon);
      knownCommon = inner.commonBefore(index, knownCommon);
      node = inner.child(index);
    }
    return node instanceof Leaf<K, V> leaf && leaf.isVisible(key, knownCommon);
  }

  @SuppressWarnings("unchecked") // a leaf holds only values of this map and their stubs
  private V valueOf(Object stored) {
    return (V) ValueStub.loaded(stored);
  }

  private @Nullable Object stored(K key) {
    MapNode<K, V> node = loadedRoot();
    int knownCommon = 0;
    while (node instanceof Inner<K, V> inner) {
      int index = inner.childOf(key, knownCommon);
      knownCommon = inner.commonBefore(index, knownCommon);
      node = inner.child(index);
    }
    return node instanceof Leaf<K, V> leaf ? leaf.stored(key, knownCommon) : null;
  }

  /**
   * Like {@link #get}, for a key that the caller will probably change: the change reuses the
   * search.
   */
  public @Nullable V getForChange(K key) {
    if (root == null) {
      return null; // EMPTY is shared: threads must not contend for its field
    }
    TreePath<K, V> path = search(key);
    lastPath = path;
    return path.value();
  }

  private TreePath<K, V> search(K key) {
    MapNode<K, V> node = loadedRoot();
    int knownCommon = 0;
    long indexes = 0;
    for (int level = 0; node instanceof Inner<K, V> inner; level++) {
      int index = inner.childOf(key, knownCommon);
      knownCommon = inner.commonBefore(index, knownCommon);
      node = inner.child(index);
      indexes |= TreePath.shifted(index, level);
    }
    if (node instanceof Leaf<K, V> leaf) {
      int slot = leaf.search(key, knownCommon);
      return new TreePath<>(key, indexes, slot, slot < 0 ? null : leaf.stored(slot));
    }
    return new TreePath<>(key, indexes, -1, null);
  }

  @SuppressWarnings("ReferenceEquality") // only the same object is recognized, which is fast
  private TreePath<K, V> pathTo(K key) {
    TreePath<K, V> path = lastPath;
    return path != null && path.key() == key ? path : search(key);
  }

  public V getOrDefault(K key, V otherwise) {
    V value = get(key);
    return value == null ? otherwise : value;
  }

  /** The entry with the greatest key at or below another; null if there is none. */
  public Map.@Nullable Entry<K, V> floorEntry(K key) {
    return root == null ? null : root.below(key, true);
  }

  /** The entry with the greatest key below another; null if there is none. */
  public Map.@Nullable Entry<K, V> lowerEntry(K key) {
    return root == null ? null : root.below(key, false);
  }

  /** The entry with the least key above another; null if there is none. */
  public Map.@Nullable Entry<K, V> higherEntry(K key) {
    return root == null ? null : root.above(key);
  }

  /** Sets the value of a key. */
  public PersistentMap<K, V> with(K key, V value) {
    return edited(
        key,
        new Edit() {
          @Override
          Object after(@Nullable Object stored) {
            return value;
          }
        });
  }

  /** Removes a key; returns this map if the key is absent. */
  public PersistentMap<K, V> without(K key) {
    return edited(
        key,
        new Edit() {
          @Override
          @Nullable Object after(@Nullable Object stored) {
            return null;
          }
        });
  }

  /**
   * Changes one value, in one search; returns this map if the value stays the same object.
   *
   * @param none the value of absent keys; a key whose value becomes equal to it is removed
   */
  public PersistentMap<K, V> update(K key, V none, UnaryOperator<V> change) {
    return edited(
        key,
        new Edit() {
          @Override
          @Nullable Object after(@Nullable Object stored) {
            V before = stored == null ? none : valueOf(stored);
            V changed = change.apply(before);
            if (stored != null && changed == before) {
              return stored;
            }
            return changed.equals(none) ? null : changed;
          }
        });
  }

  /**
   * Prunes the values; returns this map if none changes. Skips pages with settled values only.
   *
   * @param pruning returns the same object to keep a value, empty to remove the entry
   */
  public PersistentMap<K, V> pruned(Function<? super V, Optional<V>> pruning) {
    List<Map.Entry<K, Optional<V>>> changed = new ArrayList<>();
    forEachUnsettled(
        (key, value) -> {
          Optional<V> kept = pruning.apply(value);
          if (kept.isEmpty() || kept.get() != value) {
            changed.add(Map.entry(key, kept));
          }
        });
    PersistentMap<K, V> pruned = this;
    for (Map.Entry<K, Optional<V>> entry : changed) {
      Optional<V> kept = entry.getValue();
      pruned =
          kept.isPresent()
              ? pruned.with(entry.getKey(), kept.get())
              : pruned.without(entry.getKey());
    }
    return pruned;
  }

  /** A map of one entry with a changed value; empty if the key is absent. */
  public PersistentMap<K, V> narrowed(K key, UnaryOperator<V> change) {
    V value = get(key);
    return value == null ? empty() : PersistentMap.<K, V>empty().with(key, change.apply(value));
  }

  private PersistentMap<K, V> edited(K key, Edit edit) {
    MapNode<K, V> loaded = loadedRoot();
    MapNode<K, V> changed =
        (loaded == null ? new Leaf<K, V>(NOTHING, NOTHING, 0) : loaded)
            .edited(edit, pathTo(key), 0);
    if (changed.isTooLarge()) {
      changed = changed.split().parent();
    }
    while (changed instanceof Inner<K, V> inner && inner.slots() == 1) {
      changed = inner.child(0);
      inner.stored(0).copied();
    }
    int changedSize = size + edit.growth();
    if (changed == loaded || (root == null && changedSize == 0)) {
      return this;
    }
    if (root != null) {
      root.copied();
    }
    return changedSize == 0 ? empty() : new PersistentMap<>(changed, changedSize);
  }

  /** The entry with the greatest key; null if there is none. */
  public Map.@Nullable Entry<K, V> lastEntry() {
    MapNode<K, V> node = loadedRoot();
    while (node instanceof Inner<K, V> inner) {
      node = inner.child(inner.slots() - 1);
    }
    return node instanceof Leaf<K, V> leaf ? leaf.entry(leaf.slots() - 1) : null;
  }

  /** The value of the greatest key. */
  public Optional<V> lastValue() {
    return Optional.ofNullable(lastEntry()).map(Map.Entry::getValue);
  }

  /** Whether pruning leaves all values unchanged, whatever the frontier. */
  public boolean isSettled(Predicate<? super V> isValueSettled) {
    return root == null || root.isSettled(isValueSettled);
  }

  /** Visits the entries in ascending order, except in pages with settled values only. */
  private void forEachUnsettled(BiConsumer<? super K, ? super V> visitor) {
    if (root != null) {
      root.forEachUnsettled(visitor);
    }
  }

  /**
   * Like {@link #write(Encoder, BiConsumer, BiConsumer, Predicate)}, for small values that are all
   * settled.
   */
  public void write(
      Encoder out, BiConsumer<? super K, Encoder> key, BiConsumer<? super V, Encoder> value) {
    write(out, key, value, settled -> true, true);
  }

  /**
   * Writes the map: the number of entries, then each of them; or in pages if the encoder accepts
   * pages, with each large value in a page of its own.
   *
   * @param isSettled whether pruning leaves a value unchanged, whatever the frontier
   */
  public void write(
      Encoder out,
      BiConsumer<? super K, Encoder> key,
      BiConsumer<? super V, Encoder> value,
      Predicate<? super V> isSettled) {
    write(out, key, value, isSettled, false);
  }

  private void write(
      Encoder out,
      BiConsumer<? super K, Encoder> key,
      BiConsumer<? super V, Encoder> value,
      Predicate<? super V> isSettled,
      boolean areSmall) {
    Optional<PageWriter> pages = out.pages();
    if (pages.isPresent()) {
      var writer = new MapPageWriter<K, V>(pages.get(), key, value, isSettled, areSmall);
      if (root != null && (size >= pages.get().minEntries() || root.isHeavy(pages.get()))) {
        out.writeByte(MapPages.MANY);
        out.writeUnsigned(size);
        writer.writeReference(root, out);
      } else {
        writer.writeFew(loadedRoot(), size, out);
      }
      return;
    }
    out.writeUnsigned(size);
    forEach(
        (k, v) -> {
          key.accept(k, out);
          value.accept(v, out);
        });
  }

  /** Reads a map that {@link #write} wrote, whose values don't depend on their keys. */
  public static <K extends Comparable<K>, V> PersistentMap<K, V> read(
      Decoder in, int minEntryBytes, Function<Decoder, K> key, Function<Decoder, V> value) {
    return read(in, minEntryBytes, key, (k, from) -> value.apply(from));
  }

  /**
   * Reads a map that {@link #write} wrote.
   *
   * @param minEntryBytes the minimum size of an entry in bytes, above 0
   */
  public static <K extends Comparable<K>, V> PersistentMap<K, V> read(
      Decoder in, int minEntryBytes, Function<Decoder, K> key, BiFunction<K, Decoder, V> value) {
    Optional<Pages> pages = in.pages();
    return pages.isPresent()
        ? new MapPages<>(pages.get(), minEntryBytes, key, value).readMap(in)
        : readEntries(in, minEntryBytes, key, value);
  }

  /**
   * Creates a map whose nodes are in pages.
   *
   * @param size the number of entries, above 0
   */
  static <K extends Comparable<K>, V> PersistentMap<K, V> inPages(MapNode<K, V> root, int size) {
    return new PersistentMap<>(root, size);
  }

  /**
   * Reads the number of entries, then each of them.
   *
   * @param minEntryBytes the minimum size of an entry in bytes, above 0
   */
  public static <K extends Comparable<K>, V> PersistentMap<K, V> readEntries(
      Decoder in, int minEntryBytes, Function<Decoder, K> key, BiFunction<K, Decoder, V> value) {
    int size = in.readCount(minEntryBytes);
    Object[] keys = new Object[size];
    Object[] values = new Object[size];
    K last = null;
    for (int i = 0; i < size; i++) {
      K next = key.apply(in);
      if (last != null) {
        checkAscending(last, next);
      }
      last = next;
      keys[i] = next;
      values[i] = value.apply(next, in);
    }
    return ofAscending(keys, values);
  }

  static <K extends Comparable<K>> void checkAscending(K key, K next) {
    if (key.compareTo(next) >= 0) {
      throw new FormatException("not in ascending order: " + key + ", " + next);
    }
  }

  /**
   * Creates a map of ascending keys, in linear time.
   *
   * @param values the values, or stubs of them
   */
  static <K extends Comparable<K>, V> PersistentMap<K, V> ofAscending(
      Object[] keys, Object[] values) {
    return keys.length == 0
        ? empty()
        : new PersistentMap<>(MapLevel.<K, V>leaves(keys, values).root(), keys.length);
  }

  /** Visits the entries in ascending order of keys. */
  public void forEach(BiConsumer<? super K, ? super V> visitor) {
    if (root != null) {
      root.forEach(visitor);
    }
  }

  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return new MapEntries<>(loadedRoot());
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
}
