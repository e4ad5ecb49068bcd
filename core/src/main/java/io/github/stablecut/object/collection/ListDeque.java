package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.object.SharedObject;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A list as a double-ended queue. As thread-safe as the list.
 *
 * @param <T> the elements
 */
final class ListDeque<T> extends AbstractCollection<T> implements Deque<T> {
  private final SharedList<T> list;
  private final SharedObject<Tree<Bytes>> object;
  private final Elements<T> elements;

  /** Whether the deque's first element is the list's last. */
  private final boolean isReversed;

  ListDeque(SharedList<T> list, boolean isReversed) {
    this.list = list;
    this.object = list.object;
    this.elements = list.elements;
    this.isReversed = isReversed;
  }

  @Override
  public int size() {
    return object.get(ListType.SIZE);
  }

  @Override
  public void clear() {
    object.call(ListType.CLEAR);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean addAll(Collection<? extends T> all) {
    if (!isReversed) {
      return list.addAll(all);
    }
    List<Bytes> added = new ArrayList<>(elements.encodeAll(all));
    if (added.isEmpty()) {
      return false;
    }
    Collections.reverse(added);
    object.call(ListType.PREPEND_ALL, added);
    return true;
  }

  @Override
  @CanIgnoreReturnValue
  public boolean removeIf(Predicate<? super T> predicate) {
    return list.removeIf(predicate);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean removeAll(Collection<?> removed) {
    return list.removeAll(removed);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean retainAll(Collection<?> kept) {
    return list.retainAll(kept);
  }

  @Override
  public boolean containsAll(Collection<?> all) {
    return list.containsAll(all);
  }

  @Override
  public Spliterator<T> spliterator() {
    return (isReversed ? list.reversed() : list.snapshot()).spliterator();
  }

  @Override
  public void addFirst(@Nullable T element) {
    object.call(isReversed ? ListType.APPEND : ListType.PREPEND, elements.encode(element));
  }

  @Override
  public void addLast(@Nullable T element) {
    object.call(isReversed ? ListType.PREPEND : ListType.APPEND, elements.encode(element));
  }

  @Override
  public boolean offerFirst(@Nullable T element) {
    addFirst(element);
    return true;
  }

  @Override
  public boolean offerLast(@Nullable T element) {
    addLast(element);
    return true;
  }

  private Optional<T> polled(boolean isLast) {
    return object
        .call(isLast == isReversed ? ListType.POLL_FIRST : ListType.POLL_LAST)
        .map(elements::decode);
  }

  private Optional<T> peeked(boolean isLast) {
    return object.get(isLast == isReversed ? ListType.FIRST : ListType.LAST).map(elements::decode);
  }

  private static NoSuchElementException empty() {
    return new NoSuchElementException("there is no element");
  }

  @Override
  public T removeFirst() {
    return polled(false).orElseThrow(ListDeque::empty);
  }

  @Override
  public T removeLast() {
    return polled(true).orElseThrow(ListDeque::empty);
  }

  @Override
  public @Nullable T pollFirst() {
    return polled(false).orElse(null);
  }

  @Override
  public @Nullable T pollLast() {
    return polled(true).orElse(null);
  }

  @Override
  public T getFirst() {
    return peeked(false).orElseThrow(ListDeque::empty);
  }

  @Override
  public T getLast() {
    return peeked(true).orElseThrow(ListDeque::empty);
  }

  @Override
  public @Nullable T peekFirst() {
    return peeked(false).orElse(null);
  }

  @Override
  public @Nullable T peekLast() {
    return peeked(true).orElse(null);
  }

  @Override
  public boolean removeFirstOccurrence(@Nullable Object element) {
    return removed(element, false);
  }

  @Override
  public boolean removeLastOccurrence(@Nullable Object element) {
    return removed(element, true);
  }

  private boolean removed(@Nullable Object element, boolean isLast) {
    return elements
        .encodeAny(element)
        .map(
            encoded ->
                object.call(
                    isLast == isReversed ? ListType.REMOVE_FIRST_OF : ListType.REMOVE_LAST_OF,
                    encoded))
        .orElse(false);
  }

  @Override
  public boolean contains(@Nullable Object element) {
    return elements
        .encodeAny(element)
        .map(encoded -> object.get(ListType.INDEX_OF, encoded) >= 0)
        .orElse(false);
  }

  @Override
  public boolean add(@Nullable T element) {
    return offerLast(element);
  }

  @Override
  public boolean offer(@Nullable T element) {
    return offerLast(element);
  }

  @Override
  public T remove() {
    return removeFirst();
  }

  @Override
  public boolean remove(@Nullable Object element) {
    return removeFirstOccurrence(element);
  }

  @Override
  public @Nullable T poll() {
    return pollFirst();
  }

  @Override
  public T element() {
    return getFirst();
  }

  @Override
  public @Nullable T peek() {
    return peekFirst();
  }

  @Override
  public void push(@Nullable T element) {
    addFirst(element);
  }

  @Override
  public T pop() {
    return removeFirst();
  }

  @Override
  public Iterator<T> iterator() {
    return iterator(isReversed);
  }

  @Override
  public Iterator<T> descendingIterator() {
    return iterator(!isReversed);
  }

  /** Iterates over the elements as they are now. */
  private Iterator<T> iterator(boolean isFromTheEnd) {
    return new Walk(object.state(), isFromTheEnd);
  }

  /** Iterates over elements as they were, and removes them from the current list. */
  private final class Walk implements Iterator<T> {
    private final Tree<Bytes> list;
    private final boolean isFromTheEnd;
    private int passed;
    private int removed;
    private Optional<Bytes> last = Optional.empty();

    Walk(Tree<Bytes> list, boolean isFromTheEnd) {
      this.list = list;
      this.isFromTheEnd = isFromTheEnd;
    }

    @Override
    public boolean hasNext() {
      return passed < list.size();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw empty();
      }
      Bytes next = list.get(isFromTheEnd ? list.size() - 1 - passed : passed);
      passed++;
      last = Optional.of(next);
      return elements.decode(next);
    }

    @Override
    public void remove() {
      Bytes removedElement =
          last.orElseThrow(
              () ->
                  new IllegalStateException(
                      "there is no current element to remove: call next first"));
      last = Optional.empty();
      int index = isFromTheEnd ? list.size() - passed : passed - 1 - removed;
      removed++;
      object.call(ListType.REMOVE_NEAR, new ListType.IndexedElement(index, removedElement));
    }
  }
}
