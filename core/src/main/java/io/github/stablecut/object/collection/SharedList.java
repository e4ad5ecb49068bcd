package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.View;
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
 * A list that is one object. It is a {@link List}, and offers views as a queue and as a stack. It
 * has no nulls; elements are equal if their bytes are. Thread-safe if its {@link ObjectSpace} is,
 * except for iterators and sublists.
 *
 * <p>Each method is one atomic call, including those about many elements ({@link #addAll}, {@link
 * #removeIf}, {@link #sort}, {@link #containsAll}, ...). To combine several calls atomically, use a
 * transaction ({@link #in}). If a concurrent call wins, a method calls its function argument again.
 *
 * <p>Iterators and streams traverse the list as of their creation, like {@link #snapshot}. An
 * iterator's changes apply to the element that it returned, even if others have moved it. If the
 * element was removed, {@code remove} does nothing, and {@code set} and {@code add} throw {@link
 * java.util.ConcurrentModificationException}. A {@link #subList} changes the list only if the list
 * has the same elements there as when the sublist was made or last changed. Otherwise it throws the
 * same exception.
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

  /** Returns the same list in another space, such as a transaction. */
  public SharedList<T> in(ObjectSpace space) {
    return new SharedList<>(object.in(space), elements);
  }

  /** Returns the list's object. */
  public SharedObject<?> object() {
    return object;
  }

  /** Returns the list as a queue: elements enter at its end and leave at its beginning. */
  public Queue<T> asQueue() {
    return new ListDeque<>(this, false);
  }

  /** Returns the list as a double-ended queue with the same first element. */
  public Deque<T> asDeque() {
    return new ListDeque<>(this, false);
  }

  /**
   * Returns the list as a stack, whose top is the list's end: {@code push}, {@code pop}, {@code
   * peek}.
   */
  public Deque<T> asStack() {
    return new ListDeque<>(this, true);
  }

  /** Returns an immutable copy of the list as it is now. */
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
              SharedObject<Tree<Bytes>> inTransaction = object.in(tx);
              List<Splice> splices = change.apply(inTransaction.state());
              return !splices.isEmpty() && inTransaction.call(ListType.SPLICE, splices);
            });
  }

  @Override
  void removeNear(int index, Bytes element) {
    object.call(ListType.REMOVE_NEAR, new ListType.IndexedElement(index, element));
  }

  @Override
  boolean setNear(int index, Bytes element, Bytes other) {
    return object.call(ListType.SET_NEAR, new ListType.Neighbour(index, element, other));
  }

  @Override
  boolean insertNear(int index, Optional<Bytes> before, Bytes element) {
    return before.isPresent()
        ? object.call(ListType.INSERT_NEAR, new ListType.Neighbour(index, before.get(), element))
        : object.call(ListType.INSERT, new ListType.IndexedElement(0, element));
  }

  @Override
  public List<T> subList(int from, int until) {
    return ListWindow.of(this, from, until);
  }

  /** Returns an immutable copy of the elements as they are now, from the last to the first. */
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

  private ListType.IndexedElement placed(int index, @Nullable T element) {
    return new ListType.IndexedElement(checked(index), elements.encode(element));
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

  /** Appends all elements in one call, which is as large as all of them. Blind: costs no read. */
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

  /** Inserts all elements in one call, which is as large as all of them. */
  @Override
  @CanIgnoreReturnValue
  public boolean addAll(int index, Collection<? extends T> all) {
    List<Bytes> added = elements.encodeAll(all);
    if (added.isEmpty()) {
      Objects.checkIndex(index, size() + 1);
      return false;
    }
    return object.call(ListType.SPLICE, List.of(new Splice(checked(index), 0, added)));
  }

  /** Inserts an element before all others. */
  public void addFirst(T element) {
    object.call(ListType.PREPEND, elements.encode(element));
  }

  /** Appends an element after all others. */
  public void addLast(T element) {
    object.call(ListType.APPEND, elements.encode(element));
  }

  /**
   * Returns the first element.
   *
   * @throws NoSuchElementException if there is none
   */
  public T getFirst() {
    return found(object.get(ListType.FIRST));
  }

  /**
   * Returns the last element.
   *
   * @throws NoSuchElementException if there is none
   */
  public T getLast() {
    return found(object.get(ListType.LAST));
  }

  /**
   * Removes and returns the first element.
   *
   * @throws NoSuchElementException if there is none
   */
  @CanIgnoreReturnValue
  public T removeFirst() {
    return found(object.call(ListType.POLL_FIRST));
  }

  /**
   * Removes and returns the last element.
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
