package io.github.stablecut.crdt;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A state as the map that its readers see: it shares the state's memory, and what it shows of an
 * entry is computed when that entry's value is looked at; looking at keys computes nothing.
 * Immutable.
 *
 * @param <S> what the state holds for a key
 * @param <V> what a reader sees
 */
final class MapView<K extends Comparable<K>, S, V> extends AbstractMap<K, V> {
  private final PersistentMap<K, S> state;
  private final Class<? super K> keyClass;
  private final Predicate<S> visible;
  private final BiFunction<? super K, S, V> shown;
  private int size = -1;

  private MapView(
      PersistentMap<K, S> state,
      Class<? super K> keyClass,
      Predicate<S> visible,
      BiFunction<? super K, S, V> shown) {
    this.state = state;
    this.keyClass = keyClass;
    this.visible = visible;
    this.shown = shown;
  }

  /**
   * All entries.
   *
   * @param shown the value that is seen of what is held, by the key that is asked for
   */
  static <K extends Comparable<K>, S, V> Map<K, V> of(
      PersistentMap<K, S> state, Class<? super K> keyClass, BiFunction<? super K, S, V> shown) {
    MapView<K, S, V> view = new MapView<>(state, keyClass, entry -> true, shown);
    view.size = state.size();
    return view;
  }

  /** The entries that fulfil a condition. */
  static <K extends Comparable<K>, S, V> Map<K, V> filtered(
      PersistentMap<K, S> state,
      Class<? super K> keyClass,
      Predicate<S> visible,
      BiFunction<? super K, S, V> shown) {
    return new MapView<>(state, keyClass, visible, shown);
  }

  @Override
  @SuppressWarnings("unchecked") // what is held for a key is held for an instance of its class
  public @Nullable V get(@Nullable Object key) {
    S held = held(key);
    return held == null ? null : shown.apply((K) key, held);
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return held(key) != null;
  }

  @SuppressWarnings("unchecked") // an instance of the key's class
  private @Nullable S held(@Nullable Object key) {
    S held = keyClass.isInstance(key) ? state.get((K) key) : null;
    return held != null && visible.test(held) ? held : null;
  }

  @Override
  public Set<K> keySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<K> iterator() {
        return new Entries<>(Entry::getKey);
      }

      @Override
      public boolean contains(@Nullable Object key) {
        return containsKey(key);
      }

      @Override
      public int size() {
        return MapView.this.size();
      }
    };
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<K, V>> iterator() {
        return new Entries<>(
            held -> Map.entry(held.getKey(), shown.apply(held.getKey(), held.getValue())));
      }

      @Override
      public int size() {
        return MapView.this.size();
      }
    };
  }

  @Override
  public int size() {
    if (size < 0) {
      int count = 0;
      for (Entry<K, S> entry : state) {
        count += visible.test(entry.getValue()) ? 1 : 0;
      }
      size = count;
    }
    return size;
  }

  /** The visible entries from left to right. */
  private final class Entries<T> implements Iterator<T> {
    private final Iterator<Entry<K, S>> entries = state.iterator();
    private final Function<Entry<K, S>, T> part;
    private @Nullable Entry<K, S> next = advance();

    Entries(Function<Entry<K, S>, T> part) {
      this.part = part;
    }

    private @Nullable Entry<K, S> advance() {
      while (entries.hasNext()) {
        Entry<K, S> entry = entries.next();
        if (visible.test(entry.getValue())) {
          return entry;
        }
      }
      return null;
    }

    @Override
    public boolean hasNext() {
      return next != null;
    }

    @Override
    public T next() {
      Entry<K, S> entry = next;
      if (entry == null) {
        throw new NoSuchElementException();
      }
      next = advance();
      return part.apply(entry);
    }
  }
}
