package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.MapType.Change;
import io.github.stablecut.object.MapType.Pair;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map in one object or in several. It has no nulls; keys and values are equal if their bytes are.
 * Each method is a call of its own, and atomic; whoever needs several to be one thing makes them in
 * a transaction. Views go over the map as it was when the iteration began. Thread-safe if its
 * {@link ObjectSpace} is.
 */
public abstract sealed class KeyedMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V>
    permits SharedMap, ComposedMap, ComposedTree {
  final Elements<K> keys;
  final Elements<V> values;

  KeyedMap(Codec<K> keys, Codec<V> values) {
    this.keys = new Elements<>(keys);
    this.values = new Elements<>(values);
  }

  /** Calls the object that has a key, if there is one, to read. */
  abstract <R> R read(Bytes key, R none, Function<SharedObject<Tree<Pair>>, R> call);

  /** Calls the object that has a key, or is to have it. */
  abstract <R> R change(Bytes key, Function<SharedObject<Tree<Pair>>, R> call);

  /** The pairs as they are now. */
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
    return keys.encodeAny(key)
        .flatMap(
            encoded ->
                read(encoded, Optional.<Bytes>empty(), object -> object.get(MapType.GET, encoded)));
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
   * As {@link #put}, without finding out what was there: costs no read, and conflicts with nobody.
   */
  public void fastPut(K key, V value) {
    Pair pair = pair(key, value);
    boolean unused =
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
        .flatMap(encoded -> change(encoded, object -> object.call(MapType.REMOVE, encoded)))
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
    return change(pair.key(), object -> object.call(MapType.REPLACE, pair))
        .map(values::decode)
        .orElse(null);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean replace(K key, V expected, V value) {
    Pair pair = pair(key, value);
    Optional<Bytes> found = values.encodeAny(expected);
    return found.isPresent()
        && change(
            pair.key(),
            object ->
                object.call(MapType.REPLACE_IF, new Change(pair.key(), found.get(), pair.value())));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean remove(@Nullable Object key, @Nullable Object value) {
    Optional<Bytes> encoded = keys.encodeAny(key);
    Optional<Bytes> expected = values.encodeAny(value);
    return encoded.isPresent()
        && expected.isPresent()
        && change(
            encoded.get(),
            object -> object.call(MapType.REMOVE_IF, new Pair(encoded.get(), expected.get())));
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new Entries();
  }

  /** The entries as a set, which changes with the map. */
  private final class Entries extends AbstractSet<Map.Entry<K, V>> {
    @Override
    public int size() {
      return KeyedMap.this.size();
    }

    @Override
    public boolean contains(@Nullable Object entry) {
      return entry instanceof Map.Entry<?, ?> pair
          && values
              .encodeAny(pair.getValue())
              .filter(value -> find(pair.getKey()).filter(value::equals).isPresent())
              .isPresent();
    }

    @Override
    public boolean remove(@Nullable Object entry) {
      return entry instanceof Map.Entry<?, ?> pair
          && KeyedMap.this.remove(pair.getKey(), pair.getValue());
    }

    @Override
    public void clear() {
      KeyedMap.this.clear();
    }

    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
      return new Walk(pairs());
    }
  }

  /** Walks over pairs, and removes keys. */
  private final class Walk implements Iterator<Map.Entry<K, V>> {
    private final Iterator<Pair> pairs;
    private Optional<Bytes> last = Optional.empty();

    Walk(Iterator<Pair> pairs) {
      this.pairs = pairs;
    }

    @Override
    public boolean hasNext() {
      return pairs.hasNext();
    }

    @Override
    public Map.Entry<K, V> next() {
      Pair pair = pairs.next();
      last = Optional.of(pair.key());
      return new Entry(keys.decode(pair.key()), values.decode(pair.value()));
    }

    @Override
    public void remove() {
      Bytes key =
          last.orElseThrow(
              () -> new IllegalStateException("there is no entry to remove: call next first"));
      last = Optional.empty();
      Optional<Bytes> unused = change(key, object -> object.call(MapType.REMOVE, key));
    }
  }

  /** An entry, by which the map can be changed. */
  private final class Entry extends SimpleEntry<K, V> {
    private static final long serialVersionUID = 1L;

    Entry(K key, V value) {
      super(key, value);
    }

    @Override
    public V setValue(V value) {
      V unused = put(getKey(), value);
      return super.setValue(value);
    }
  }
}
