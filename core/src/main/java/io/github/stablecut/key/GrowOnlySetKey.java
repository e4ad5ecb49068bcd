package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.GrowOnlySet;
import io.github.stablecut.crdt.codec.Codec;
import java.util.List;

/**
 * The name of a set from which nothing is removed ({@link GrowOnlySet}).
 *
 * @param <T> the elements
 */
public final class GrowOnlySetKey<T> extends SetKey<T> {
  GrowOnlySetKey(ObjectPath place, Codec<T> elements) {
    super(place, GrowOnlySet.TYPE, elements);
  }

  @Override
  Object addition(List<Bytes> added) {
    return new GrowOnlySet.Add(added);
  }

  @Override
  GrowOnlySetKey<T> at(ObjectPath other) {
    return new GrowOnlySetKey<>(other, other.codec(codec()));
  }
}
