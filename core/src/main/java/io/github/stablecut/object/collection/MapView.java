package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.object.collection.MapType.Pair;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys, values or entries of a map. A question about many of them is answered from the map at
 * one moment, and a removal of many is one transaction.
 *
 * @param <E> the part of each entry that the view shows
 */
abstract class MapView<K, V, E> extends AbstractCollection<E> {
  final KeyedMap<K, V> map;
  private final Function<Map.Entry<K, V>, E> shown;

  MapView(KeyedMap<K, V> map, Function<Map.Entry<K, V>, E> shown) {
    this.map = map;
    this.shown = shown;
  }

  /** Removes an entry that an iterator returned. */
  abstract void removeShown(KeyedMap<K, V>.Entry entry);

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public void clear() {
    map.clear();
  }

  @Override
  public Iterator<E> iterator() {
    return new Walk(map.pairs());
  }

  @Override
  public Spliterator<E> spliterator() {
    List<E> now = new ArrayList<>();
    iterator().forEachRemaining(now::add);
    return now.spliterator();
  }

  @Override
  public boolean containsAll(Collection<?> all) {
    return frozen().containsAll(all);
  }

  /** Returns a copy of the current elements. */
  Set<E> frozen() {
    Set<E> now = new HashSet<>();
    iterator().forEachRemaining(now::add);
    return now;
  }

  /**
   * Removes elements. If others change the map concurrently, it may call the predicate several
   * times for an entry.
   */
  @Override
  @CanIgnoreReturnValue
  public boolean removeIf(Predicate<? super E> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return map.removeIf(entry -> predicate.test(shown.apply(entry)));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean removeAll(Collection<?> removed) {
    Objects.requireNonNull(removed, "removed");
    return removeIf(removed::contains);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean retainAll(Collection<?> kept) {
    Objects.requireNonNull(kept, "kept");
    return removeIf(element -> !kept.contains(element));
  }

  /** Iterates over pairs as they were, and removes those that it has returned. */
  private final class Walk implements Iterator<E> {
    private final Iterator<Pair> pairs;
    private KeyedMap<K, V>.@Nullable Entry last;

    Walk(Iterator<Pair> pairs) {
      this.pairs = pairs;
    }

    @Override
    public boolean hasNext() {
      return pairs.hasNext();
    }

    @Override
    public E next() {
      if (!hasNext()) {
        throw new NoSuchElementException("there are no more entries");
      }
      KeyedMap<K, V>.Entry next = map.entry(pairs.next());
      last = next;
      return shown.apply(next);
    }

    @Override
    public void remove() {
      KeyedMap<K, V>.Entry removedEntry = last;
      if (removedEntry == null) {
        throw new IllegalStateException("there is no current entry to remove: call next first");
      }
      last = null;
      removeShown(removedEntry);
    }
  }
}
