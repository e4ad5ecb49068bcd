package io.github.stablecut.key;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.SliceBounds;
import io.github.stablecut.crdt.sequence.RgaList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a list ({@link RgaList}). A reader sees its elements in order, as an immutable view of
 * the snapshot's state. Access by index takes logarithmic time, a step of an iterator constant
 * time; elements are decoded on access.
 *
 * @param <T> the elements
 */
public final class ListKey<T> extends SequenceKey<List<T>> {
  private final Codec<T> elements;

  ListKey(ObjectPath path, Codec<T> elements) {
    super(path, RgaList.TYPE, value -> new DecodedList<>(value, elements));
    this.elements = Objects.requireNonNull(elements, "codec");
  }

  /**
   * Inserts an element. Executing it throws {@link OperationRefusedException} if there is no such
   * position.
   *
   * @param position the number of elements before the inserted one
   */
  public Update insert(int position, T element) {
    return insertAll(position, List.of(element));
  }

  /**
   * Inserts elements. Executing it throws {@link OperationRefusedException} if there is no such
   * position.
   *
   * @param position the number of elements before the inserted ones
   */
  public Update insertAll(int position, Collection<? extends T> inserted) {
    return updateBy(RgaList.insert(position, inserted.stream().map(elements::encode).toList()));
  }

  /** The number of elements. */
  public Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The element at an index; empty beyond the end.
   *
   * @param index at least 0
   */
  public Query<Optional<T>> get(int index) {
    if (index < 0) {
      throw new IllegalArgumentException("an index must be 0 or more, not %,d".formatted(index));
    }
    int end = index == Integer.MAX_VALUE ? index : index + 1;
    return ask(
        new Question.Slice(new SliceBounds(index, end)),
        slice -> slice.stream().findFirst().map(elements::decode),
        element -> element.stream().map(elements::encode).toList());
  }

  /**
   * The elements from one index up to another; fewer if the list ends earlier.
   *
   * @param from at least 0
   * @param to exclusive; at most {@value Question#MAX_ITEMS} above {@code from}
   */
  public Query<List<T>> slice(int from, int to) {
    return ask(
        new Question.Slice(new SliceBounds(from, to)),
        slice -> slice.stream().<T>map(elements::decode).toList(),
        slice -> slice.stream().map(elements::encode).toList());
  }

  @Override
  ListKey<T> at(ObjectPath other) {
    return new ListKey<>(other, other.codec(elements));
  }
}
