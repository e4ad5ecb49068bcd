package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A list that is one object, as a {@link List}, and at the same time as a queue and as a stack. It
 * has no nulls; elements are equal if their bytes are. Thread-safe if its {@link ObjectSpace} is,
 * except for iterators and parts.
 *
 * <p>Each method is one atomic call, those about many elements ({@link #addAll}, {@link #removeIf},
 * {@link #sort}, {@link #containsAll}, ...), too; whoever needs several to be one thing makes them
 * in a transaction ({@link #in}). Functions that are given to a method may be called again if
 * others are faster.
 *
 * <p>Iterators and streams go over the list as it was when they were made, like {@link #snapshot}.
 * What an iterator removes, sets or adds is done to the element that it has returned, if others
 * have moved that: {@code remove} does nothing if it is gone, {@code set} and {@code add} then
 * throw {@link java.util.ConcurrentModificationException}. A {@link #subList} changes the list only
 * if that has the same elements there as when the part was made or changed last, and throws that
 * otherwise.
 *
 * @param <T> the elements
 */
public final class SharedList<T> extends AtomicList<T> {
  private SharedList(SharedObject<Tree<Bytes>> object, Elements<T> elements) {
    super(object, elements);
  }

  /** Opens a list. */
  public static <T> SharedList<T> open(
      ObjectSpace space, String bucket, String key, Codec<T> elements) {
    return open(space, bucket, key, elements, View.REMOTE);
  }

  /** Opens a list. */
  public static <T> SharedList<T> open(
      ObjectSpace space, String bucket, String key, Codec<T> elements, View view) {
    return new SharedList<>(space.open(bucket, key, ListType.TYPE, view), new Elements<>(elements));
  }

  /** The same list in another space, such as a transaction. */
  public SharedList<T> in(ObjectSpace space) {
    return new SharedList<>(object.in(space), elements);
  }

  /** The list's object. */
  public SharedObject<?> object() {
    return object;
  }

  /** The list as a queue: from its end to its beginning. */
  public Queue<T> asQueue() {
    return new ListDeque<>(this, false);
  }

  /** The list as a double-ended queue, whose first element is the list's. */
  public Deque<T> asDeque() {
    return new ListDeque<>(this, false);
  }

  /** The list as a stack, whose top is the list's end: {@code push}, {@code pop}, {@code peek}. */
  public Deque<T> asStack() {
    return new ListDeque<>(this, true);
  }

  /** The list as it is now; it stays so, and can't be changed. */
  public List<T> snapshot() {
    return frozen();
  }

  @Override
  Tree<Bytes> now() {
    return object.state();
  }

  @Override
  @CanIgnoreReturnValue
  boolean edit(Function<Tree<Bytes>, List<Splice>> change) {
    return object
        .space()
        .transact(
            tx -> {
              SharedObject<Tree<Bytes>> here = object.in(tx);
              List<Splice> splices = change.apply(here.state());
              return !splices.isEmpty() && here.call(ListType.SPLICE, splices);
            });
  }

  @Override
  void removeNear(int index, Bytes element) {
    object.call(ListType.REMOVE_NEAR, new ListType.Placed(index, element));
  }

  @Override
  boolean setNear(int index, Bytes element, Bytes other) {
    return object.call(ListType.SET_NEAR, new ListType.Neighbour(index, element, other));
  }

  @Override
  boolean insertNear(int index, Optional<Bytes> before, Bytes element) {
    return before.isPresent()
        ? object.call(ListType.INSERT_NEAR, new ListType.Neighbour(index, before.get(), element))
        : object.call(ListType.INSERT, new ListType.Placed(0, element));
  }

  @Override
  public List<T> subList(int from, int until) {
    return ListWindow.of(this, from, until);
  }

  /** The elements from the last to the first, as they are now; can't be changed. */
  public List<T> reversed() {
    List<Bytes> reversed = new ArrayList<>(now().toList());
    Collections.reverse(reversed);
    return new FrozenList<>(Tree.of(reversed), elements);
  }

  @Override
  public int size() {
    return object.get(ListType.SIZE);
  }

  @Override
  public T get(int index) {
    return elements.decode(object.get(ListType.GET, checked(index)));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean add(@Nullable T element) {
    object.call(ListType.APPEND, elements.encode(element));
    return true;
  }

  @Override
  public void add(int index, @Nullable T element) {
    object.call(ListType.INSERT, placed(index, element));
  }

  @Override
  @CanIgnoreReturnValue
  public T set(int index, @Nullable T element) {
    return elements.decode(object.call(ListType.SET, placed(index, element)));
  }

  private ListType.Placed placed(int index, @Nullable T element) {
    return new ListType.Placed(checked(index), elements.encode(element));
  }

  private static int checked(int index) {
    if (index < 0) {
      throw new IndexOutOfBoundsException(index);
    }
    return index;
  }

  @Override
  @CanIgnoreReturnValue
  public T remove(int index) {
    return elements.decode(object.call(ListType.REMOVE, checked(index)));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean remove(@Nullable Object element) {
    return elements
        .encodeAny(element)
        .map(encoded -> object.call(ListType.REMOVE_FIRST_OF, encoded))
        .orElse(false);
  }

  @Override
  public int indexOf(@Nullable Object element) {
    return elements
        .encodeAny(element)
        .map(encoded -> object.get(ListType.INDEX_OF, encoded))
        .orElse(-1);
  }

  @Override
  public int lastIndexOf(@Nullable Object element) {
    return elements
        .encodeAny(element)
        .map(encoded -> object.get(ListType.LAST_INDEX_OF, encoded))
        .orElse(-1);
  }

  @Override
  public boolean contains(@Nullable Object element) {
    return indexOf(element) >= 0;
  }

  /** Adds all at the end, as one call that is as large as all of them. Blind: costs no read. */
  @Override
  @CanIgnoreReturnValue
  public boolean addAll(Collection<? extends T> all) {
    List<Bytes> added = elements.encodeAll(all);
    if (added.isEmpty()) {
      return false;
    }
    object.call(ListType.APPEND_ALL, added);
    return true;
  }

  /** Inserts all, as one call that is as large as all of them. */
  @Override
  @CanIgnoreReturnValue
  public boolean addAll(int index, Collection<? extends T> all) {
    List<Bytes> added = elements.encodeAll(all);
    if (added.isEmpty()) {
      int unused = Objects.checkIndex(index, size() + 1);
      return false;
    }
    return object.call(ListType.SPLICE, List.of(new Splice(checked(index), 0, added)));
  }

  /** Inserts before all others. */
  public void addFirst(T element) {
    object.call(ListType.PREPEND, elements.encode(element));
  }

  /** Adds behind all others. */
  public void addLast(T element) {
    object.call(ListType.APPEND, elements.encode(element));
  }

  /**
   * The first element.
   *
   * @throws NoSuchElementException if there is none
   */
  public T getFirst() {
    return found(object.get(ListType.FIRST));
  }

  /**
   * The last element.
   *
   * @throws NoSuchElementException if there is none
   */
  public T getLast() {
    return found(object.get(ListType.LAST));
  }

  /**
   * Removes the first element.
   *
   * @throws NoSuchElementException if there is none
   */
  @CanIgnoreReturnValue
  public T removeFirst() {
    return found(object.call(ListType.POLL_FIRST));
  }

  /**
   * Removes the last element.
   *
   * @throws NoSuchElementException if there is none
   */
  @CanIgnoreReturnValue
  public T removeLast() {
    return found(object.call(ListType.POLL_LAST));
  }

  private T found(Optional<Bytes> element) {
    return elements.decode(
        element.orElseThrow(() -> new NoSuchElementException("the list is empty")));
  }

  @Override
  public void clear() {
    object.call(ListType.CLEAR);
  }
}
