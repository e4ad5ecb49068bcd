package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.set.AddWinsSet;
import java.util.List;

/**
 * The key of a set in which an addition wins over a concurrent removal ({@link AddWinsSet}).
 *
 * @param <T> the elements
 */
public final class AddWinsSetKey<T> extends RemovableSetKey<T> {
  AddWinsSetKey(ObjectPath path, Codec<T> elements) {
    super(path, AddWinsSet.TYPE, elements);
  }

  @Override
  Object addition(List<Bytes> added) {
    return new AddWinsSet.Add(added);
  }

  @Override
  Object removal(List<Bytes> removed) {
    return new AddWinsSet.Remove(removed);
  }

  @Override
  Object reset() {
    return new AddWinsSet.Reset();
  }

  @Override
  AddWinsSetKey<T> at(ObjectPath other) {
    return new AddWinsSetKey<>(other, other.codec(codec()));
  }
}
