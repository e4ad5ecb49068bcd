package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.key.PathStep.InMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a map of objects at one snapshot, with all its objects. Their values are computed
 * lazily. Immutable.
 */
public final class MapValue {
  private final ObjectPath map;
  private final MapKind kind;
  private final Map<MapKey<?, ?>, Object> entries;

  MapValue(ObjectPath map, MapKind kind, Map<MapKey<?, ?>, Object> entries) {
    this.map = map;
    this.kind = kind;
    this.entries = entries;
  }

  /**
   * The value of an object in the map or in a map nested in it; its type's initial value, such as 0
   * or empty, if it is absent.
   *
   * @throws IllegalArgumentException if the key names an object outside the map
   */
  public <V> V get(Key<V> key) {
    return key.viewAt(map, kind, entries);
  }

  /** Whether this map contains an object directly; objects in nested maps do not count. */
  public boolean contains(Key<?> key) {
    return entryOf(key).isPresent();
  }

  private Optional<MapKey<?, ?>> entryOf(Key<?> key) {
    return key.path().entryOf(map, kind, key.ownType()).filter(entries::containsKey);
  }

  /** The number of objects. */
  public int size() {
    return entries.size();
  }

  /** Whether the map contains no objects. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Keys of all objects in the map, ordered by the bytes of their names. The keys read values as
   * the types represent them.
   */
  public Set<ObjectKey<?, ?>> keys() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return entries.size();
      }

      @Override
      public boolean contains(@Nullable Object other) {
        return other instanceof Key<?> key
            && entryOf(key).filter(entry -> key.equals(key(entry))).isPresent();
      }

      @Override
      public Iterator<ObjectKey<?, ?>> iterator() {
        Iterator<MapKey<?, ?>> keys = entries.keySet().iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return keys.hasNext();
          }

          @Override
          public ObjectKey<?, ?> next() {
            return key(keys.next());
          }
        };
      }
    };
  }

  private <O, V> ObjectKey<O, V> key(MapKey<O, V> entry) {
    CrdtType<?, O, ?, V> type = entry.type();
    return new ObjectKey<>(map.then(new InMap(kind, entry.key())), type);
  }

  /** Whether another value is of the same map, with the same objects and values. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof MapValue that && map.equals(that.map) && entries.equals(that.entries));
  }

  @Override
  public int hashCode() {
    return 31 * map.hashCode() + entries.hashCode();
  }

  @Override
  public String toString() {
    return entries.toString();
  }
}
