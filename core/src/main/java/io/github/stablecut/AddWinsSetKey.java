package io.github.stablecut;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.AddWinsSet;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The name of a set in which an addition wins over a concurrent removal ({@link AddWinsSet}).
 * Elements are the same if their bytes are.
 *
 * @param <T> the elements
 */
public final class AddWinsSetKey<T> extends Key<Set<T>> {
  private final Codec<T> elements;

  AddWinsSetKey(Bytes bucket, Bytes key, Codec<T> elements) {
    super(bucket, key, AddWinsSet.TYPE);
    this.elements = elements;
  }

  /** Adds an element. */
  public Update add(T element) {
    return addAll(List.of(element));
  }

  /** Adds elements. */
  public Update addAll(Collection<? extends T> added) {
    return new Update(this, new AddWinsSet.Add(encode(added)));
  }

  /** Removes an element. */
  public Update remove(T element) {
    return removeAll(List.of(element));
  }

  /** Removes elements. */
  public Update removeAll(Collection<? extends T> removed) {
    return new Update(this, new AddWinsSet.Remove(encode(removed)));
  }

  /** Removes all elements that the transaction sees. */
  public Update clear() {
    return new Update(this, new AddWinsSet.Reset());
  }

  private List<Bytes> encode(Collection<? extends T> values) {
    return values.stream().map(elements::encode).toList();
  }

  /** The elements in the order of their bytes, as a set that can't be changed. */
  @Override
  public Set<T> view(Object state, VectorClock snapshot) {
    Set<T> view = new LinkedHashSet<>();
    for (Bytes element : AddWinsSet.TYPE.value((AddWinsSet.State) state, snapshot)) {
      view.add(elements.decode(element));
    }
    return Collections.unmodifiableSet(view);
  }
}
