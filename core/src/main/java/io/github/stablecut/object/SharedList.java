package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.AbstractList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A list that is one object, as a {@link List}, and at the same time as a queue and as a stack. It
 * has no nulls; elements are equal if their bytes are. Each method is a call of its own, so whoever
 * needs several to be one thing makes them in a transaction ({@link #in}). Iterators see each
 * change; {@link #snapshot} does not. Thread-safe if its {@link ObjectSpace} is.
 *
 * @param <T> the elements
 */
public final class SharedList<T> extends AbstractList<T> {
  private final SharedObject<Tree<Bytes>> object;
  private final Elements<T> elements;

  private SharedList(SharedObject<Tree<Bytes>> object, Elements<T> elements) {
    this.object = object;
    this.elements = elements;
  }

  /** Opens a list. */
  public static <T> SharedList<T> open(
      ObjectSpace space, String bucket, String key, Codec<T> elements) {
    return new SharedList<>(space.open(bucket, key, ListType.TYPE), new Elements<>(elements));
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
    return new ListDeque<>(object, elements, false);
  }

  /** The list as a double-ended queue, whose first element is the list's. */
  public Deque<T> asDeque() {
    return new ListDeque<>(object, elements, false);
  }

  /** The list as a stack, whose top is the list's end: {@code push}, {@code pop}, {@code peek}. */
  public Deque<T> asStack() {
    return new ListDeque<>(object, elements, true);
  }

  /** The list as it is now; it stays so, and can't be changed. */
  public List<T> snapshot() {
    Tree<Bytes> now = object.state();
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        return elements.decode(now.get(index));
      }

      @Override
      public int size() {
        return now.size();
      }

      @Override
      public Iterator<T> iterator() {
        Iterator<Bytes> encoded = now.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return encoded.hasNext();
          }

          @Override
          public T next() {
            return elements.decode(encoded.next());
          }
        };
      }
    };
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

  @Override
  public Object[] toArray() {
    return snapshot().toArray();
  }

  @Override
  public <U> U[] toArray(U[] array) {
    return snapshot().toArray(array);
  }

  @Override
  public void clear() {
    object.call(ListType.CLEAR);
  }
}
