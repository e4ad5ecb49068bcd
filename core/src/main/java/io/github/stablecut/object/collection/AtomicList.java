package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.object.SharedObject;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A list whose methods are atomic calls of one object, including those about many elements. A
 * question about many elements is answered from the list at one moment.
 *
 * @param <T> the elements
 */
abstract sealed class AtomicList<T> extends AbstractList<T> permits SharedList, ListWindow {
  final SharedObject<Tree<Bytes>> object;
  final Elements<T> elements;

  AtomicList(SharedObject<Tree<Bytes>> object, Elements<T> elements) {
    this.object = object;
    this.elements = elements;
  }

  /** Returns the current elements. */
  abstract Tree<Bytes> now();

  /**
   * Changes the list in one call.
   *
   * @param change returns the changes to make for the list's current elements; may be called
   *     several times
   * @return whether the list changed
   */
  @CanIgnoreReturnValue
  abstract boolean edit(Function<Tree<Bytes>, List<Splice>> change);

  /** Removes an element at its previous index, or otherwise an equal one, if there is one. */
  abstract void removeNear(int index, Bytes element);

  /** Replaces an element, found as by {@link #removeNear}. Returns false if there is none. */
  abstract boolean setNear(int index, Bytes element, Bytes other);

  /**
   * Inserts an element after another one at its previous index, or otherwise after an equal one.
   *
   * @param before the other element; empty for the beginning of the list
   * @return false if there is none
   */
  abstract boolean insertNear(int index, Optional<Bytes> before, Bytes element);

  /** Returns the exception for a change that an iterator or a sublist can no longer make. */
  static ConcurrentModificationException changed(Object what) {
    return new ConcurrentModificationException(
        "others changed %s concurrently: repeat the operation, or use a transaction"
            .formatted(what));
  }

  List<T> frozen() {
    return new FrozenList<>(now(), elements);
  }

  @Override
  public Iterator<T> iterator() {
    return listIterator(0);
  }

  @Override
  public ListIterator<T> listIterator(int index) {
    Tree<Bytes> now = now();
    return new ListWalk<>(this, now, Objects.checkIndex(index, now.size() + 1));
  }

  @Override
  public Spliterator<T> spliterator() {
    return frozen().spliterator();
  }

  @Override
  public boolean containsAll(Collection<?> all) {
    Set<Bytes> present = new HashSet<>(now().toList());
    return all.stream()
        .allMatch(one -> elements.encodeAny(one).filter(present::contains).isPresent());
  }

  @Override
  public Object[] toArray() {
    return frozen().toArray();
  }

  @Override
  public <U> U[] toArray(U[] array) {
    return frozen().toArray(array);
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

  /**
   * Removes elements. If others change the list concurrently, it may call the predicate several
   * times for an element.
   */
  @Override
  @CanIgnoreReturnValue
  public boolean removeIf(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return edit(
        now -> {
          List<Splice> removals = new ArrayList<>();
          int index = 0;
          for (Bytes element : now) {
            if (predicate.test(elements.decode(element))) {
              removals.add(Splice.of(index, 1));
            }
            index++;
          }
          return removals;
        });
  }

  /**
   * Replaces elements. If others change the list concurrently, it may call the function several
   * times for an element.
   */
  @Override
  public void replaceAll(UnaryOperator<T> function) {
    Objects.requireNonNull(function, "function");
    edit(
        now -> {
          List<Bytes> before = now.toList();
          return Splice.between(
              before,
              before.stream()
                  .map(element -> elements.encode(function.apply(elements.decode(element))))
                  .toList());
        });
  }

  @Override
  @SuppressWarnings("unchecked") // without a comparator, elements are comparable, or this throws
  public void sort(@Nullable Comparator<? super T> order) {
    Comparator<? super T> comparator =
        order == null ? (Comparator<T>) Comparator.naturalOrder() : order;
    edit(
        now -> {
          List<T> sorted = new ArrayList<>(new FrozenList<>(now, elements));
          sorted.sort(comparator);
          return Splice.between(now.toList(), sorted.stream().map(elements::encode).toList());
        });
  }
}
