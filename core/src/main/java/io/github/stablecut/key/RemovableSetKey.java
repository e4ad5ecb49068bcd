package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;

/**
 * The key of a set from which elements can be removed.
 *
 * @param <T> the elements
 */
public abstract sealed class RemovableSetKey<T> extends SetKey<T>
    permits AddWinsSetKey, RemoveWinsSetKey {
  RemovableSetKey(ObjectPath path, CrdtType<?, ?, ?, NavigableSet<Bytes>> type, Codec<T> elements) {
    super(path, type, elements);
  }

  /** Removes an element. */
  public final Update remove(T element) {
    return removeAll(List.of(element));
  }

  /** Removes elements. */
  public final Update removeAll(Collection<? extends T> removed) {
    return updateBy(removal(encode(removed)));
  }

  /** Removes all elements that the transaction sees; concurrently added ones remain. */
  public final Update clear() {
    return updateBy(reset());
  }

  /** The operation that removes elements. */
  abstract Object removal(List<Bytes> removed);

  /** The operation that resets the observed updates. */
  abstract Object reset();
}
