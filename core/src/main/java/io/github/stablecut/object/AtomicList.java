package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
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
 * A list, each of whose methods is one atomic call of an object, those about many elements, too.
 * What is asked of many elements is asked of the list at one moment.
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

  /** The elements at this moment. */
  abstract Tree<Bytes> now();

  /**
   * Changes the list as one call.
   *
   * @param change what is to be changed of what the list has; may be called several times
   * @return whether it was changed
   */
  @CanIgnoreReturnValue
  abstract boolean edit(Function<Tree<Bytes>, List<Splice>> change);

  /** Removes an element where it was, or else an equal one, if there is one. */
  abstract void removeNear(int index, Bytes element);

  /** As {@link #removeNear}, and puts another one in its place. False if there is none. */
  abstract boolean setNear(int index, Bytes element, Bytes other);

  /**
   * Inserts an element behind another one, where that was, or else behind an equal one.
   *
   * @param before that one; empty for the begin of the list
   * @return false if there is none
   */
  abstract boolean insertNear(int index, Optional<Bytes> before, Bytes element);

  /** Refuses a change that an iterator or a part of a list can't make any more. */
  static ConcurrentModificationException changed(Object what) {
    return new ConcurrentModificationException(
        "%s was changed by others: begin again, or do it in a transaction".formatted(what));
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
    Set<Bytes> there = new HashSet<>(now().toList());
    return all.stream()
        .allMatch(one -> elements.encodeAny(one).filter(there::contains).isPresent());
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
  public boolean removeAll(Collection<?> gone) {
    Objects.requireNonNull(gone, "gone");
    return removeIf(gone::contains);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean retainAll(Collection<?> kept) {
    Objects.requireNonNull(kept, "kept");
    return removeIf(element -> !kept.contains(element));
  }

  /** May call the predicate several times for an element, if others change the list meanwhile. */
  @Override
  @CanIgnoreReturnValue
  public boolean removeIf(Predicate<? super T> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return edit(
        now -> {
          List<Splice> gone = new ArrayList<>();
          int index = 0;
          for (Bytes element : now) {
            if (predicate.test(elements.decode(element))) {
              gone.add(Splice.of(index, 1));
            }
            index++;
          }
          return gone;
        });
  }

  /** May call the function several times for an element, if others change the list meanwhile. */
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
  @SuppressWarnings("unchecked") // without an order they are comparable, or this throws
  public void sort(@Nullable Comparator<? super T> order) {
    Comparator<? super T> wanted =
        order == null ? (Comparator<T>) Comparator.naturalOrder() : order;
    edit(
        now -> {
          List<T> sorted = new ArrayList<>(new FrozenList<>(now, elements));
          sorted.sort(wanted);
          return Splice.between(now.toList(), sorted.stream().map(elements::encode).toList());
        });
  }
}
