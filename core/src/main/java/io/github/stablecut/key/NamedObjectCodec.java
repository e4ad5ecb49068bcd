package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueUnreadableException;
import java.util.Objects;

/** The codec of an object's values, which names the object if it can't decode one. */
final class NamedObjectCodec<T> implements Codec<T> {
  private final ObjectPath place;
  private final Codec<T> codec;

  NamedObjectCodec(ObjectPath place, Codec<T> codec) {
    this.place = place;
    this.codec =
        Objects.requireNonNull(codec, "codec") instanceof NamedObjectCodec<T> placed
            ? placed.codec
            : codec;
  }

  @Override
  public Bytes encode(T value) {
    return codec.encode(Objects.requireNonNull(value, "value"));
  }

  @Override
  public T decode(Bytes bytes) {
    try {
      return codec.decode(bytes);
    } catch (FormatException e) {
      throw new ValueUnreadableException(
          "%s holds a value that the codec of this key can't decode (%s): read it with the codec it was written with"
              .formatted(place, e.getMessage()),
          e);
    }
  }
}
