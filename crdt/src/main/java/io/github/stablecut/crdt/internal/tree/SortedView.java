package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.UnreadableValue;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map, or a range of it, as a view of a state. It shares the state's memory. It computes a value
 * on each access to that value; accesses to keys compute nothing. Finding a key, a neighbour, a
 * range or the size takes logarithmic time. Immutable.
 *
 * @param <S> the stored value of a key; may be invisible if it is {@link Hideable}
 * @param <V> the value that a reader sees
 */
public final class SortedView<K extends Comparable<K>, S, V> extends AbstractMap<K, V>
    implements NavigableMap<K, V> {
  private final PersistentMap<K, S> state;
  private final Class<? super K> keyClass;
  private final BiFunction<? super K, S, V> toValue;
  private final KeyRange<K> range;

  /** The rank of the first entry in the range. */
  private final int from;

  /** The rank after the last entry in the range. */
  private final int to;

  private final boolean isDescending;

  private SortedView(
      PersistentMap<K, S> state,
      Class<? super K> keyClass,
      BiFunction<? super K, S, V> toValue,
      KeyRange<K> range,
      boolean isDescending) {
    this.state = state;
    this.keyClass = keyClass;
    this.toValue = toValue;
    this.range = range;
    this.isDescending = isDescending;
    K low = range.from();
    K high = range.to();
    this.from = low == null ? 0 : state.rank(low, !range.isFromIncluded());
    this.to = high == null ? state.visibleSize() : state.rank(high, range.isToIncluded());
  }

  /**
   * All visible entries.
   *
   * @param toValue converts a stored value to the visible one, given the requested key
   */
  public static <K extends Comparable<K>, S, V> SortedView<K, S, V> of(
      PersistentMap<K, S> state, Class<? super K> keyClass, BiFunction<? super K, S, V> toValue) {
    return new SortedView<>(state, keyClass, toValue, KeyRange.all(), false);
  }

  private SortedView<K, S, V> within(KeyRange<K> narrower) {
    return new SortedView<>(state, keyClass, toValue, narrower, isDescending);
  }

  @Override
  public int size() {
    return Math.max(0, to - from);
  }

  @Override
  @SuppressWarnings("unchecked") // a stored key is an instance of the key class
  public @Nullable V get(@Nullable Object key) {
    S stored = stored(key);
    return stored == null ? null : toValue.apply((K) key, stored);
  }

  @Override
  @SuppressWarnings("unchecked") // checked against the key class
  public boolean containsKey(@Nullable Object key) {
    return keyClass.isInstance(key) && range.contains((K) key) && state.isVisible((K) key);
  }

  @SuppressWarnings("unchecked") // checked against the key class
  private @Nullable S stored(@Nullable Object key) {
    if (!keyClass.isInstance(key) || !range.contains((K) key)) {
      return null;
    }
    S stored = state.get((K) key);
    return stored instanceof Hideable hideable && !hideable.isVisible() ? null : stored;
  }

  /** The entry at a rank; null if outside the range. */
  private @Nullable Entry<K, V> entryAt(int rank) {
    return rank < from || rank >= to ? null : toEntry(state.visible(rank, rank + 1, false).next());
  }

  private @Nullable K keyAt(int rank) {
    return rank < from || rank >= to ? null : state.visible(rank, rank + 1, false).next().getKey();
  }

  private Entry<K, V> toEntry(Entry<K, S> stored) {
    return Map.entry(stored.getKey(), toValue.apply(stored.getKey(), stored.getValue()));
  }

  private int firstRank() {
    return isDescending ? to - 1 : from;
  }

  private int lastRank() {
    return isDescending ? from : to - 1;
  }

  /** The rank of the nearest entry before a key in the order of this view. */
  private int rankBefore(K key, boolean orAt) {
    return isDescending
        ? Math.max(from, state.rank(key, !orAt))
        : Math.min(to, state.rank(key, orAt)) - 1;
  }

  /** The rank of the nearest entry after a key in the order of this view. */
  private int rankAfter(K key, boolean orAt) {
    return isDescending
        ? Math.min(to, state.rank(key, orAt)) - 1
        : Math.max(from, state.rank(key, !orAt));
  }

  @Override
  public @Nullable Comparator<? super K> comparator() {
    return isDescending ? Collections.reverseOrder() : null;
  }

  @Override
  public K firstKey() {
    return present(keyAt(firstRank()));
  }

  @Override
  public K lastKey() {
    return present(keyAt(lastRank()));
  }

  private static <K> K present(@Nullable K key) {
    if (key == null) {
      throw new NoSuchElementException("the view is empty");
    }
    return key;
  }

  @Override
  public @Nullable Entry<K, V> firstEntry() {
    return entryAt(firstRank());
  }

  @Override
  public @Nullable Entry<K, V> lastEntry() {
    return entryAt(lastRank());
  }

  @Override
  public @Nullable Entry<K, V> lowerEntry(K key) {
    return entryAt(rankBefore(key, false));
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return keyAt(rankBefore(key, false));
  }

  @Override
  public @Nullable Entry<K, V> floorEntry(K key) {
    return entryAt(rankBefore(key, true));
  }

  @Override
  public @Nullable K floorKey(K key) {
    return keyAt(rankBefore(key, true));
  }

  @Override
  public @Nullable Entry<K, V> ceilingEntry(K key) {
    return entryAt(rankAfter(key, true));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return keyAt(rankAfter(key, true));
  }

  @Override
  public @Nullable Entry<K, V> higherEntry(K key) {
    return entryAt(rankAfter(key, false));
  }

  @Override
  public @Nullable K higherKey(K key) {
    return keyAt(rankAfter(key, false));
  }

  @Override
  public Entry<K, V> pollFirstEntry() {
    throw new UnsupportedOperationException("a value is read-only: update the object instead");
  }

  @Override
  public Entry<K, V> pollLastEntry() {
    throw new UnsupportedOperationException("a value is read-only: update the object instead");
  }

  @Override
  public NavigableMap<K, V> descendingMap() {
    return new SortedView<>(state, keyClass, toValue, range, !isDescending);
  }

  @Override
  public NavigableMap<K, V> subMap(
      K fromKey, boolean isFromIncluded, K toKey, boolean isToIncluded) {
    Objects.requireNonNull(fromKey, "fromKey");
    Objects.requireNonNull(toKey, "toKey");
    return within(
        isDescending
            ? range.narrowed(toKey, isToIncluded, fromKey, isFromIncluded)
            : range.narrowed(fromKey, isFromIncluded, toKey, isToIncluded));
  }

  @Override
  public NavigableMap<K, V> headMap(K toKey, boolean isIncluded) {
    Objects.requireNonNull(toKey, "toKey");
    return within(
        isDescending
            ? range.narrowed(toKey, isIncluded, null, false)
            : range.narrowed(null, false, toKey, isIncluded));
  }

  @Override
  public NavigableMap<K, V> tailMap(K fromKey, boolean isIncluded) {
    Objects.requireNonNull(fromKey, "fromKey");
    return within(
        isDescending
            ? range.narrowed(null, false, fromKey, isIncluded)
            : range.narrowed(fromKey, isIncluded, null, false));
  }

  @Override
  public NavigableMap<K, V> subMap(K fromKey, K toKey) {
    return subMap(fromKey, true, toKey, false);
  }

  @Override
  public NavigableMap<K, V> headMap(K toKey) {
    return headMap(toKey, false);
  }

  @Override
  public NavigableMap<K, V> tailMap(K fromKey) {
    return tailMap(fromKey, true);
  }

  @Override
  public NavigableSet<K> keySet() {
    return new Keys<>(this);
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return keySet();
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().navigableKeySet();
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<K, V>> iterator() {
        return iterate(SortedView.this::toEntry);
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
      public int size() {
        return SortedView.this.size();
      }
    };
  }

  /** The entries as text, including counters whose sums exceed {@code long}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "{", "}");
    Iterator<Entry<K, S>> entries = iterate(entry -> entry);
    while (entries.hasNext()) {
      Entry<K, S> stored = entries.next();
      K key = stored.getKey();
      text.add(key + "=" + UnreadableValue.orSum(() -> toValue.apply(key, stored.getValue())));
    }
    return text.toString();
  }

  private <T> Iterator<T> iterate(Function<Entry<K, S>, T> part) {
    Iterator<Entry<K, S>> entries = state.visible(from, to, isDescending);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return entries.hasNext();
      }

      @Override
      public T next() {
        return part.apply(entries.next());
      }
    };
  }

  /** The keys of a view. */
  private static final class Keys<K extends Comparable<K>> extends AbstractSet<K>
      implements NavigableSet<K> {
    private final SortedView<K, ?, ?> view;

    Keys(SortedView<K, ?, ?> view) {
      this.view = view;
    }

    private static <K extends Comparable<K>> NavigableSet<K> of(NavigableMap<K, ?> map) {
      return map.navigableKeySet();
    }

    @Override
    public int size() {
      return view.size();
    }

    @Override
    public boolean contains(@Nullable Object key) {
      return view.containsKey(key);
    }

    @Override
    public Iterator<K> iterator() {
      return iterator(view);
    }

    private static <K extends Comparable<K>, S> Iterator<K> iterator(SortedView<K, S, ?> of) {
      return of.iterate(Entry::getKey);
    }

    @Override
    public Iterator<K> descendingIterator() {
      return descendingSet().iterator();
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
      return view.comparator();
    }

    @Override
    public K first() {
      return view.firstKey();
    }

    @Override
    public K last() {
      return view.lastKey();
    }

    @Override
    public @Nullable K lower(K key) {
      return view.lowerKey(key);
    }

    @Override
    public @Nullable K floor(K key) {
      return view.floorKey(key);
    }

    @Override
    public @Nullable K ceiling(K key) {
      return view.ceilingKey(key);
    }

    @Override
    public @Nullable K higher(K key) {
      return view.higherKey(key);
    }

    @Override
    public K pollFirst() {
      throw new UnsupportedOperationException("a value is read-only: update the object instead");
    }

    @Override
    public K pollLast() {
      throw new UnsupportedOperationException("a value is read-only: update the object instead");
    }

    @Override
    public NavigableSet<K> descendingSet() {
      return view.descendingKeySet();
    }

    @Override
    public NavigableSet<K> subSet(K from, boolean isFromIncluded, K to, boolean isToIncluded) {
      return of(view.subMap(from, isFromIncluded, to, isToIncluded));
    }

    @Override
    public NavigableSet<K> headSet(K to, boolean isIncluded) {
      return of(view.headMap(to, isIncluded));
    }

    @Override
    public NavigableSet<K> tailSet(K from, boolean isIncluded) {
      return of(view.tailMap(from, isIncluded));
    }

    @Override
    public NavigableSet<K> subSet(K from, K to) {
      return subSet(from, true, to, false);
    }

    @Override
    public NavigableSet<K> headSet(K to) {
      return headSet(to, false);
    }

    @Override
    public NavigableSet<K> tailSet(K from) {
      return tailSet(from, true);
    }
  }
}
