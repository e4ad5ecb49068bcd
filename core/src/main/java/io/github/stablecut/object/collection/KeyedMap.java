package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.collection.MapType.Change;
import io.github.stablecut.object.collection.MapType.Pair;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A map in one object or in several. It has no nulls; keys and values are equal if their bytes are.
 * Each method is atomic, including those about many keys ({@link #putAll}, {@link #replaceAll}, and
 * {@code removeIf} and the like of the views). To combine several calls atomically, use a
 * transaction. {@code compute}, {@code merge} and the like call their function again if a
 * concurrent call wins. Thread-safe if its {@link ObjectSpace} is.
 *
 * <p>Iterators and streams of the views traverse the map as of their creation. An iterator of
 * entries or values removes the entry that it returned, unless its value has changed since. An
 * iterator of keys removes the key, whatever its value.
 */
public abstract sealed class KeyedMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V>
    permits SharedMap, ComposedMap, ComposedTree {
  final Elements<K> keys;
  final Elements<V> values;

  KeyedMap(Codec<K> keys, Codec<V> values) {
    this.keys = new Elements<>(keys);
    this.values = new Elements<>(values);
  }

  /** Reads from the object that has a key, if there is one. */
  abstract <R> R read(Bytes key, R none, Function<SharedObject<Tree<Pair>>, R> call);

  /** Calls the object that has a key, or will have it. */
  @CanIgnoreReturnValue
  abstract <R> R change(Bytes key, Function<SharedObject<Tree<Pair>>, R> call);

  /** Calls the object that has a key, if there is one; creates none. */
  abstract <R> R changeExisting(Bytes key, R none, Function<SharedObject<Tree<Pair>>, R> call);

  /** Returns the current pairs. */
  abstract Iterator<Pair> pairs();

  @Override
  public abstract int size();

  @Override
  public abstract void clear();

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    return find(key).map(values::decode).orElse(null);
  }

  private Optional<Bytes> find(@Nullable Object key) {
    return keys.encodeAny(key).flatMap(this::findBytes);
  }

  private Optional<Bytes> findBytes(Bytes key) {
    return read(key, Optional.<Bytes>empty(), object -> object.get(MapType.GET, key));
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return find(key).isPresent();
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V put(K key, V value) {
    Pair pair = pair(key, value);
    return change(pair.key(), object -> object.call(MapType.PUT, pair))
        .map(values::decode)
        .orElse(null);
  }

  /**
   * Puts a value like {@link #put}, but does not return the previous one. In a {@link SharedMap}
   * and a {@link ComposedMap}, it costs no read and conflicts with nothing.
   */
  public void fastPut(K key, V value) {
    Pair pair = pair(key, value);
    change(
        pair.key(),
        object -> {
          object.call(MapType.PUT_BLINDLY, pair);
          return true;
        });
  }

  private Pair pair(K key, V value) {
    return new Pair(keys.encode(key), values.encode(value));
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V remove(@Nullable Object key) {
    return keys.encodeAny(key)
        .flatMap(
            encoded ->
                changeExisting(
                    encoded,
                    Optional.<Bytes>empty(),
                    object -> object.call(MapType.REMOVE, encoded)))
        .map(values::decode)
        .orElse(null);
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V putIfAbsent(K key, V value) {
    Pair pair = pair(key, value);
    return change(pair.key(), object -> object.call(MapType.PUT_IF_ABSENT, pair))
        .map(values::decode)
        .orElse(null);
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V replace(K key, V value) {
    Pair pair = pair(key, value);
    return changeExisting(
            pair.key(), Optional.<Bytes>empty(), object -> object.call(MapType.REPLACE, pair))
        .map(values::decode)
        .orElse(null);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean replace(K key, V expected, V value) {
    Pair pair = pair(key, value);
    return values
        .encodeAny(expected)
        .filter(there -> replaceIf(new Change(pair.key(), there, pair.value())))
        .isPresent();
  }

  private boolean replaceIf(Change change) {
    return changeExisting(change.key(), false, object -> object.call(MapType.REPLACE_IF, change));
  }

  /** Removes a pair if the map has one with the same bytes. */
  @CanIgnoreReturnValue
  boolean removeIf(Pair pair) {
    return changeExisting(pair.key(), false, object -> object.call(MapType.REMOVE_IF, pair));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean remove(@Nullable Object key, @Nullable Object value) {
    Optional<Bytes> encoded = keys.encodeAny(key);
    Optional<Bytes> expected = values.encodeAny(value);
    return encoded.isPresent()
        && expected.isPresent()
        && removeIf(new Pair(encoded.get(), expected.get()));
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    Bytes encoded = keys.encode(key);
    while (true) {
      Optional<Bytes> found = findBytes(encoded);
      V value = function.apply(key, found.map(values::decode).orElse(null));
      if (exchange(encoded, found, Optional.<V>ofNullable(value).map(values::encode))) {
        return value;
      }
    }
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return compute(key, (same, value) -> value == null ? null : function.apply(same, value));
  }

  @Override
  @CanIgnoreReturnValue
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(function, "function");
    return compute(key, (same, there) -> there == null ? value : function.apply(there, value));
  }

  /**
   * Replaces a value if it is still present. The comparison uses the bytes that were found, because
   * a codec may encode the same value differently today.
   */
  private boolean exchange(Bytes key, Optional<Bytes> found, Optional<Bytes> value) {
    if (found.isEmpty()) {
      return value.isEmpty()
          || change(key, object -> object.call(MapType.PUT_IF_ABSENT, new Pair(key, value.get())))
              .isEmpty();
    }
    return value.isEmpty()
        ? removeIf(new Pair(key, found.get()))
        : replaceIf(new Change(key, found.get(), value.get()));
  }

  /** Puts all entries, in one call or one transaction. */
  @Override
  public void putAll(Map<? extends K, ? extends V> all) {
    List<Pair> pairs = new ArrayList<>();
    all.forEach((key, value) -> pairs.add(pair(key, value)));
    if (!pairs.isEmpty()) {
      putPairs(pairs);
    }
  }

  /** Puts pairs, in one call or one transaction. */
  abstract void putPairs(List<Pair> pairs);

  /** Removes keys, in one call or one transaction. */
  abstract void removeKeys(List<Bytes> removed);

  /** Runs a function on the map in a transaction. */
  @CanIgnoreReturnValue
  abstract <R> R transact(Function<KeyedMap<K, V>, R> body);

  /**
   * Replaces all values in one transaction. If others change the map concurrently, it may call the
   * function several times for an entry.
   */
  @Override
  public void replaceAll(BiFunction<? super K, ? super V, ? extends V> function) {
    Objects.requireNonNull(function, "function");
    transact(
        here -> {
          List<Pair> changed = new ArrayList<>();
          here.pairs()
              .forEachRemaining(
                  pair -> {
                    K key = keys.decode(pair.key());
                    Bytes value = values.encode(function.apply(key, values.decode(pair.value())));
                    if (!value.equals(pair.value())) {
                      changed.add(new Pair(pair.key(), value));
                    }
                  });
          if (!changed.isEmpty()) {
            here.putPairs(changed);
          }
          return true;
        });
  }

  /** Removes the entries that satisfy a predicate, in one transaction. */
  boolean removeIf(Predicate<Map.Entry<K, V>> predicate) {
    return transact(
        here -> {
          List<Bytes> removed = new ArrayList<>();
          here.pairs()
              .forEachRemaining(
                  pair -> {
                    if (predicate.test(here.entry(pair))) {
                      removed.add(pair.key());
                    }
                  });
          if (!removed.isEmpty()) {
            here.removeKeys(removed);
          }
          return !removed.isEmpty();
        });
  }

  @Override
  public boolean containsValue(@Nullable Object value) {
    Optional<Bytes> encodedValue = values.encodeAny(value);
    Iterator<Pair> pairs = encodedValue.isPresent() ? pairs() : Collections.emptyIterator();
    while (pairs.hasNext()) {
      if (pairs.next().value().equals(encodedValue.orElseThrow())) {
        return true;
      }
    }
    return false;
  }

  /** Removes one pair with a value. */
  boolean removeValue(@Nullable Object value) {
    Optional<Bytes> encodedValue = values.encodeAny(value);
    Iterator<Pair> pairs = encodedValue.isPresent() ? pairs() : Collections.emptyIterator();
    while (pairs.hasNext()) {
      Pair pair = pairs.next();
      if (pair.value().equals(encodedValue.orElseThrow()) && removeIf(pair)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a key has a value. */
  boolean has(@Nullable Object key, @Nullable Object value) {
    return values
        .encodeAny(value)
        .filter(encodedValue -> find(key).filter(encodedValue::equals).isPresent())
        .isPresent();
  }

  /** Returns an entry for a pair; the entry can change the map. */
  Entry entry(Pair pair) {
    return new Entry(pair);
  }

  @Override
  public Set<K> keySet() {
    return new MapViews.Keys<>(this);
  }

  @Override
  public Collection<V> values() {
    return new MapViews.Values<>(this);
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new MapViews.Entries<>(this);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this || (other instanceof Map<?, ?> && copy().equals(other));
  }

  private Map<K, V> copy() {
    Map<K, V> now = new HashMap<>();
    pairs().forEachRemaining(pair -> now.put(keys.decode(pair.key()), values.decode(pair.value())));
    return now;
  }

  @Override
  public int hashCode() {
    return copy().hashCode();
  }

  /** An entry as it was read, through which the map can be changed. */
  final class Entry implements Map.Entry<K, V> {
    private final K key;
    private V value;
    private Pair pair;

    private Entry(Pair pair) {
      this.pair = pair;
      this.key = keys.decode(pair.key());
      this.value = values.decode(pair.value());
    }

    /** Returns the bytes of its key and of its value. */
    Pair pair() {
      return pair;
    }

    @Override
    public K getKey() {
      return key;
    }

    @Override
    public V getValue() {
      return value;
    }

    @Override
    public V setValue(V other) {
      V before = value;
      pair = new Pair(pair.key(), values.encode(other));
      put(key, other);
      value = other;
      return before;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Map.Entry<?, ?> entry
          && key.equals(entry.getKey())
          && value.equals(entry.getValue());
    }

    @Override
    public int hashCode() {
      return key.hashCode() ^ value.hashCode();
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }
}
