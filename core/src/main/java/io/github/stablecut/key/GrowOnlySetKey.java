package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.set.GrowOnlySet;
import java.util.List;

/**
 * The key of a set without removal ({@link GrowOnlySet}).
 *
 * @param <T> the elements
 */
public final class GrowOnlySetKey<T> extends SetKey<T> {
  GrowOnlySetKey(ObjectPath path, Codec<T> elements) {
    super(path, GrowOnlySet.TYPE, elements);
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
