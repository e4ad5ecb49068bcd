package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A view of a map with encoded keys, ordered by the bytes: decodes keys on access, and encodes the
 * keys that callers pass. As immutable as the underlying map.
 */
final class DecodedMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {
  private final NavigableMap<Bytes, V> encoded;
  private final Codec<K> codec;

  DecodedMap(NavigableMap<Bytes, V> encoded, Codec<K> codec) {
    this.encoded = encoded;
    this.codec = codec;
  }

  private DecodedMap<K, V> of(NavigableMap<Bytes, V> part) {
    return new DecodedMap<>(part, codec);
  }

  private Bytes encode(K key) {
    return codec.encode(Objects.requireNonNull(key, "key"));
  }

  private @Nullable K decode(@Nullable Bytes key) {
    return key == null ? null : codec.decode(key);
  }

  private @Nullable Entry<K, V> decode(@Nullable Entry<Bytes, V> entry) {
    return entry == null ? null : Map.entry(codec.decode(entry.getKey()), entry.getValue());
  }

  @Override
  public int size() {
    return encoded.size();
  }

  @Override
  public @Nullable V get(@Nullable Object other) {
    Bytes key = DecodedSet.encodeIfPossible(codec, other);
    return key == null ? null : encoded.get(key);
  }

  @Override
  public boolean containsKey(@Nullable Object other) {
    Bytes key = DecodedSet.encodeIfPossible(codec, other);
    return key != null && encoded.containsKey(key);
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public int size() {
        return encoded.size();
      }

      @Override
      public boolean contains(@Nullable Object other) {
        if (!(other instanceof Entry<?, ?> entry)) {
          return false;
        }
        V value = get(entry.getKey());
        return value != null && value.equals(entry.getValue());
      }

      @Override
      public Iterator<Entry<K, V>> iterator() {
        Iterator<Entry<Bytes, V>> entries = encoded.entrySet().iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return entries.hasNext();
          }

          @Override
          public Entry<K, V> next() {
            Entry<Bytes, V> entry = entries.next();
            return Map.entry(codec.decode(entry.getKey()), entry.getValue());
          }
        };
      }
    };
  }

  @Override
  public NavigableSet<K> keySet() {
    return new DecodedSet<>(encoded.navigableKeySet(), codec);
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return keySet();
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return new DecodedSet<>(encoded.descendingKeySet(), codec);
  }

  @Override
  public Comparator<? super K> comparator() {
    return DecodedSet.order(codec, encoded.comparator());
  }

  @Override
  public K firstKey() {
    return codec.decode(encoded.firstKey());
  }

  @Override
  public K lastKey() {
    return codec.decode(encoded.lastKey());
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    return decode(encoded.firstEntry());
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    return decode(encoded.lastEntry());
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    return decode(encoded.lowerEntry(encode(key)));
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return decode(encoded.lowerKey(encode(key)));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    return decode(encoded.floorEntry(encode(key)));
  }

  @Override
  public @Nullable K floorKey(K key) {
    return decode(encoded.floorKey(encode(key)));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    return decode(encoded.ceilingEntry(encode(key)));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return decode(encoded.ceilingKey(encode(key)));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    return decode(encoded.higherEntry(encode(key)));
  }

  @Override
  public @Nullable K higherKey(K key) {
    return decode(encoded.higherKey(encode(key)));
  }

  @Override
  public @Nullable Entry<K, V> pollFirstEntry() {
    return decode(encoded.pollFirstEntry());
  }

  @Override
  public @Nullable Entry<K, V> pollLastEntry() {
    return decode(encoded.pollLastEntry());
  }

  @Override
  public NavigableMap<K, V> descendingMap() {
    return of(encoded.descendingMap());
  }

  @Override
  public NavigableMap<K, V> subMap(K from, boolean isFromIncluded, K to, boolean isToIncluded) {
    return of(encoded.subMap(encode(from), isFromIncluded, encode(to), isToIncluded));
  }

  @Override
  public NavigableMap<K, V> headMap(K to, boolean isIncluded) {
    return of(encoded.headMap(encode(to), isIncluded));
  }

  @Override
  public NavigableMap<K, V> tailMap(K from, boolean isIncluded) {
    return of(encoded.tailMap(encode(from), isIncluded));
  }

  @Override
  public NavigableMap<K, V> subMap(K from, K to) {
    return subMap(from, true, to, false);
  }

  @Override
  public NavigableMap<K, V> headMap(K to) {
    return headMap(to, false);
  }

  @Override
  public NavigableMap<K, V> tailMap(K from) {
    return tailMap(from, true);
  }
}
