package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Iterates over a list as it was, and changes the current list. It does not see others' changes.
 * Its own changes apply to the elements that it returned, wherever they are now. Confined to one
 * thread.
 *
 * @param <T> the elements
 */
final class ListWalk<T> implements ListIterator<T> {
  private static final int NONE = -1;

  private final AtomicList<T> list;

  /** The list as it was, with this iterator's changes. */
  private Tree<Bytes> seen;

  private int next;

  /** The index of the element returned last, unless it was changed. */
  private int last = NONE;

  ListWalk(AtomicList<T> list, Tree<Bytes> seen, int next) {
    this.list = list;
    this.seen = seen;
    this.next = next;
  }

  @Override
  public boolean hasNext() {
    return next < seen.size();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("there are no more elements");
    }
    last = next++;
    return list.elements.decode(seen.get(last));
  }

  @Override
  public boolean hasPrevious() {
    return next > 0;
  }

  @Override
  public T previous() {
    if (!hasPrevious()) {
      throw new NoSuchElementException("there is no element before");
    }
    last = --next;
    return list.elements.decode(seen.get(last));
  }

  @Override
  public int nextIndex() {
    return next;
  }

  @Override
  public int previousIndex() {
    return next - 1;
  }

  private int returned() {
    if (last == NONE) {
      throw new IllegalStateException(
          "there is no current element to change: call next or previous first");
    }
    return last;
  }

  @Override
  public void remove() {
    int index = returned();
    list.removeNear(index, seen.get(index));
    seen = seen.removed(index);
    next = index;
    last = NONE;
  }

  @Override
  public void set(T element) {
    int index = returned();
    Bytes encoded = list.elements.encode(element);
    if (!list.setNear(index, seen.get(index), encoded)) {
      throw AtomicList.changed("the element at " + index);
    }
    seen = seen.with(index, encoded);
  }

  @Override
  public void add(T element) {
    Bytes encoded = list.elements.encode(element);
    Optional<Bytes> before = next == 0 ? Optional.empty() : Optional.of(seen.get(next - 1));
    if (!list.insertNear(next, before, encoded)) {
      throw AtomicList.changed("the element before " + next);
    }
    seen = seen.inserted(next++, encoded);
    last = NONE;
  }
}
