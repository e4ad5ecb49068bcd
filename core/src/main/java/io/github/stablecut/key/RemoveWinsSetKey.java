package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.util.List;

/**
 * The key of a set in which a removal wins over a concurrent addition ({@link RemoveWinsSet}).
 *
 * @param <T> the elements
 */
public final class RemoveWinsSetKey<T> extends RemovableSetKey<T> {
  RemoveWinsSetKey(ObjectPath path, Codec<T> elements) {
    super(path, RemoveWinsSet.TYPE, elements);
  }

  @Override
  Object addition(List<Bytes> added) {
    return new RemoveWinsSet.Add(added);
  }

  @Override
  Object removal(List<Bytes> removed) {
    return new RemoveWinsSet.Remove(removed);
  }

  @Override
  Object reset() {
    return new RemoveWinsSet.Reset();
  }

  @Override
  RemoveWinsSetKey<T> at(ObjectPath other) {
    return new RemoveWinsSetKey<>(other, other.codec(codec()));
  }
}
