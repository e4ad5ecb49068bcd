package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueUnreadableException;
import java.util.Objects;

/** A codec of an object's values whose decoding errors name the object. */
final class NamedObjectCodec<T> implements Codec<T> {
  private final ObjectPath path;
  private final Codec<T> codec;

  NamedObjectCodec(ObjectPath path, Codec<T> codec) {
    this.path = path;
    this.codec =
        Objects.requireNonNull(codec, "codec") instanceof NamedObjectCodec<T> named
            ? named.codec
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
          "%s has a value that the codec of this key can't decode (%s): use the codec that wrote it"
              .formatted(path, e.getMessage()),
          e);
    }
  }
}
