package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The three views of a map. */
final class MapViews {
  private MapViews() {}

  private abstract static class AsSet<K, V, E> extends MapView<K, V, E> implements Set<E> {
    AsSet(KeyedMap<K, V> map, Function<Map.Entry<K, V>, E> shown) {
      super(map, shown);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other == this || (other instanceof Set<?> && frozen().equals(other));
    }

    @Override
    public int hashCode() {
      return frozen().hashCode();
    }
  }

  /** The keys. */
  static final class Keys<K, V> extends AsSet<K, V, K> {
    Keys(KeyedMap<K, V> map) {
      super(map, Map.Entry::getKey);
    }

    @Override
    public boolean contains(@Nullable Object key) {
      return map.containsKey(key);
    }

    @Override
    @CanIgnoreReturnValue
    public boolean remove(@Nullable Object key) {
      return map.remove(key) != null;
    }

    @Override
    void removeShown(KeyedMap<K, V>.Entry entry) {
      map.remove(entry.getKey());
    }
  }

  /** The entries. */
  static final class Entries<K, V> extends AsSet<K, V, Map.Entry<K, V>> {
    Entries(KeyedMap<K, V> map) {
      super(map, Function.identity());
    }

    @Override
    public boolean contains(@Nullable Object entry) {
      return entry instanceof Map.Entry<?, ?> pair && map.has(pair.getKey(), pair.getValue());
    }

    @Override
    @CanIgnoreReturnValue
    public boolean remove(@Nullable Object entry) {
      return entry instanceof Map.Entry<?, ?> pair && map.remove(pair.getKey(), pair.getValue());
    }

    @Override
    void removeShown(KeyedMap<K, V>.Entry entry) {
      map.removeIf(entry.pair());
    }
  }

  /** The values. */
  static final class Values<K, V> extends MapView<K, V, V> {
    Values(KeyedMap<K, V> map) {
      super(map, Map.Entry::getValue);
    }

    /**
     * Removes one entry with a value. It tries the matching entries in turn until one is still
     * present.
     */
    @Override
    @CanIgnoreReturnValue
    public boolean remove(@Nullable Object value) {
      return map.removeValue(value);
    }

    @Override
    public boolean contains(@Nullable Object value) {
      return map.containsValue(value);
    }

    @Override
    void removeShown(KeyedMap<K, V>.Entry entry) {
      map.removeIf(entry.pair());
    }
  }
}
