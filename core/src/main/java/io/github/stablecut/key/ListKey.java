package io.github.stablecut.key;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.RgaList;
import io.github.stablecut.crdt.SliceBounds;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a list ({@link RgaList}). A reader sees its elements in order, as an immutable view
 * of the snapshot's state: finding an element by its index takes logarithmic time, the step of an
 * iterator constant time, and an element is decoded when it is looked at.
 *
 * @param <T> the elements
 */
public final class ListKey<T> extends SequenceKey<List<T>> {
  private final Codec<T> elements;

  ListKey(ObjectPath place, Codec<T> elements) {
    super(place, RgaList.TYPE, value -> new DecodedList<>(value, elements));
    this.elements = Objects.requireNonNull(elements, "codec");
  }

  /**
   * Inserts an element. A transaction that executes it is told by {@link OperationRefusedException}
   * if there is no such position.
   *
   * @param position how many elements stay to its left
   */
  public Update insert(int position, T element) {
    return insertAll(position, List.of(element));
  }

  /**
   * Inserts elements. A transaction that executes it is told by {@link OperationRefusedException}
   * if there is no such position.
   *
   * @param position how many elements stay to their left
   */
  public Update insertAll(int position, Collection<? extends T> inserted) {
    return updateBy(RgaList.insert(position, inserted.stream().map(elements::encode).toList()));
  }

  /** How many elements there are. */
  public Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * The element at an index; empty if there are not as many.
   *
   * @param index 0 or more
   */
  public Query<Optional<T>> get(int index) {
    if (index < 0) {
      throw new IllegalArgumentException("an index is 0 or more, not %,d".formatted(index));
    }
    int end = index == Integer.MAX_VALUE ? index : index + 1;
    return ask(
        new Question.Slice(new SliceBounds(index, end)),
        slice -> slice.stream().findFirst().map(elements::decode),
        element -> element.stream().map(elements::encode).toList());
  }

  /**
   * The elements from an index up to another; fewer if the list ends before.
   *
   * @param from 0 or more
   * @param to exclusive; at most {@value Question#MAX_ITEMS} more
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
