package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.PageBounds;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a set. Elements are the same if their bytes are. A reader sees the elements in the
 * order of their bytes, as an immutable view of the snapshot's state: {@code contains}, {@code
 * size}, neighbours and ranges take time logarithmic in the size of the set, and an element is
 * decoded when it is looked at. The view stays valid as long as somebody holds it, also after the
 * store is closed. An element has at most 1 MiB: a transaction that executes an operation on a
 * longer one is told by {@link LimitExceededException}.
 *
 * @param <T> the elements
 */
public abstract sealed class SetKey<T> extends Key<NavigableSet<T>>
    permits GrowOnlySetKey, RemovableSetKey {
  private final Codec<T> elements;

  SetKey(ObjectPath place, CrdtType<?, ?, ?, NavigableSet<Bytes>> type, Codec<T> elements) {
    super(place, type, value -> new DecodedSet<>(value, elements));
    this.elements = Objects.requireNonNull(elements, "codec");
  }

  /** Adds an element. */
  public final Update add(T element) {
    return addAll(List.of(element));
  }

  /** Adds elements. */
  public final Update addAll(Collection<? extends T> added) {
    return updateBy(addition(encode(added)));
  }

  /** Whether an element is in the set. */
  public final Query<Boolean> contains(T element) {
    return ask(new Question.Contains(elements.encode(element)));
  }

  /** How many elements there are. */
  public final Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The first elements.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> firstPage(int limit) {
    return page(new PageBounds(Optional.empty(), false, limit));
  }

  /**
   * The elements that follow one, which need not be there itself.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> pageAfter(T element, int limit) {
    return page(new PageBounds(Optional.of(elements.encode(element)), false, limit));
  }

  /**
   * The last elements, the last one first.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> lastPage(int limit) {
    return page(new PageBounds(Optional.empty(), true, limit));
  }

  /**
   * The elements before one, which need not be there itself; the nearest one first.
   *
   * @param limit the most that are returned, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> pageBefore(T element, int limit) {
    return page(new PageBounds(Optional.of(elements.encode(element)), true, limit));
  }

  private Query<List<T>> page(PageBounds bounds) {
    return ask(
        new Question.Page(bounds),
        page -> page.stream().<T>map(elements::decode).toList(),
        this::encode);
  }

  final List<Bytes> encode(Collection<? extends T> values) {
    return values.stream().map(elements::encode).toList();
  }

  final Codec<T> codec() {
    return elements;
  }

  /** The operation that adds elements. */
  abstract Object addition(List<Bytes> added);
}
