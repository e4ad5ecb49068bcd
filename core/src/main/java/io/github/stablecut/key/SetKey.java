package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.PageBounds;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a set. Elements are equal if their encoded bytes are. A reader sees the elements
 * ordered by their bytes, as an immutable view of the snapshot's state: {@code contains}, {@code
 * size}, neighbours and ranges take time logarithmic in the size of the set, and elements are
 * decoded on access. The view stays valid for as long as it is referenced, even after the store is
 * closed. An element has at most 1 MiB: executing an operation on a longer one throws {@link
 * LimitExceededException}.
 *
 * @param <T> the elements
 */
public abstract sealed class SetKey<T> extends Key<NavigableSet<T>>
    permits GrowOnlySetKey, RemovableSetKey {
  private final Codec<T> elements;

  SetKey(ObjectPath path, CrdtType<?, ?, ?, NavigableSet<Bytes>> type, Codec<T> elements) {
    super(path, type, value -> new DecodedSet<>(value, elements));
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

  /** The number of elements. */
  public final Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The first elements.
   *
   * @param limit the maximum number of elements, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> firstPage(int limit) {
    return page(new PageBounds(Optional.empty(), false, limit));
  }

  /**
   * The elements after one, which need not be present.
   *
   * @param limit the maximum number of elements, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> pageAfter(T element, int limit) {
    return page(new PageBounds(Optional.of(elements.encode(element)), false, limit));
  }

  /**
   * The last elements, in descending order.
   *
   * @param limit the maximum number of elements, 1 to {@value Question#MAX_ITEMS}
   */
  public final Query<List<T>> lastPage(int limit) {
    return page(new PageBounds(Optional.empty(), true, limit));
  }

  /**
   * The elements before one, which need not be present, in descending order.
   *
   * @param limit the maximum number of elements, 1 to {@value Question#MAX_ITEMS}
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
