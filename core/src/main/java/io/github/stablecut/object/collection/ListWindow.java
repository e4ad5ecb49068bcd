package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.object.SharedObject;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A sublist. It shows the elements at its indexes. It changes the list only if the list has the
 * same elements there as when the sublist was made or last changed, and throws {@link
 * ConcurrentModificationException} otherwise. As thread-safe as an {@link java.util.ArrayList}.
 *
 * @param <T> the elements
 */
final class ListWindow<T> extends AtomicList<T> {
  /** The sublist that contains this one; null if this is a sublist of the whole list. */
  private final @Nullable ListWindow<T> outer;

  /** The index of the first element in the whole list. */
  private final int from;

  /** The elements that it may change. */
  private Tree<Bytes> known;

  private ListWindow(
      AtomicList<T> list, @Nullable ListWindow<T> outer, int from, Tree<Bytes> known) {
    super(list.object, list.elements);
    this.outer = outer;
    this.from = from;
    this.known = known;
  }

  /** Returns a sublist of a whole list. */
  static <T> ListWindow<T> of(AtomicList<T> list, int from, int until) {
    return new ListWindow<>(list, null, from, part(list.now(), from, until));
  }

  private static Tree<Bytes> part(Tree<Bytes> list, int from, int until) {
    Objects.checkFromToIndex(from, until, list.size());
    return Tree.of(list.toList().subList(from, until));
  }

  @Override
  public List<T> subList(int begin, int until) {
    return new ListWindow<>(this, this, from + begin, part(known, begin, until));
  }

  @Override
  Tree<Bytes> now() {
    return seenIn(object.state());
  }

  private Tree<Bytes> seenIn(Tree<Bytes> list) {
    if (list.size() < from + known.size()) {
      throw changed("the list");
    }
    return part(list, from, from + known.size());
  }

  @Override
  @CanIgnoreReturnValue
  boolean edit(Function<Tree<Bytes>, List<Splice>> change) {
    List<Splice> done =
        object
            .space()
            .transact(
                tx -> {
                  SharedObject<Tree<Bytes>> inTransaction = object.in(tx);
                  if (!seenIn(inTransaction.state()).equals(known)) {
                    throw changed("the list");
                  }
                  List<Splice> splices = change.apply(known);
                  if (!splices.isEmpty()) {
                    inTransaction.call(ListType.SPLICE, shifted(splices, from));
                  }
                  return splices;
                });
    for (ListWindow<T> part = this; part != null && !done.isEmpty(); part = part.outer) {
      part.known = Splice.applied(part.known, shifted(done, from - part.from));
    }
    return !done.isEmpty();
  }

  private static List<Splice> shifted(List<Splice> splices, int by) {
    return splices.stream().map(splice -> splice.shifted(by)).toList();
  }

  private void splice(int index, int removed, List<Bytes> added) {
    edit(now -> List.of(new Splice(index, removed, added)));
  }

  @Override
  void removeNear(int index, Bytes element) {
    splice(index, 1, List.of());
  }

  @Override
  boolean setNear(int index, Bytes element, Bytes other) {
    splice(index, 1, List.of(other));
    return true;
  }

  @Override
  boolean insertNear(int index, Optional<Bytes> before, Bytes element) {
    splice(index, 0, List.of(element));
    return true;
  }

  @Override
  public int size() {
    return known.size();
  }

  @Override
  public T get(int index) {
    return elements.decode(now().get(index));
  }

  @Override
  public void add(int index, @Nullable T element) {
    splice(Objects.checkIndex(index, size() + 1), 0, List.of(elements.encode(element)));
  }

  @Override
  @CanIgnoreReturnValue
  public boolean addAll(Collection<? extends T> all) {
    return addAll(size(), all);
  }

  @Override
  @CanIgnoreReturnValue
  public boolean addAll(int index, Collection<? extends T> all) {
    List<Bytes> added = elements.encodeAll(all);
    int at = Objects.checkIndex(index, size() + 1);
    return !added.isEmpty() && edit(now -> List.of(new Splice(at, 0, added)));
  }

  @Override
  @CanIgnoreReturnValue
  public T set(int index, @Nullable T element) {
    T before = elements.decode(known.get(index));
    splice(index, 1, List.of(elements.encode(element)));
    return before;
  }

  @Override
  @CanIgnoreReturnValue
  public T remove(int index) {
    T removed = elements.decode(known.get(index));
    splice(index, 1, List.of());
    return removed;
  }

  @Override
  public void clear() {
    edit(now -> now.isEmpty() ? List.of() : List.of(Splice.of(0, now.size())));
  }
}
