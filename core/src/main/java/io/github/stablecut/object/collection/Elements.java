package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes elements of collections. Immutable. */
record Elements<T>(Codec<T> codec) {
  Elements {
    Objects.requireNonNull(codec, "codec");
  }

  /**
   * Returns the bytes of an element.
   *
   * @throws NullPointerException if it is null: collections of objects have no nulls
   */
  Bytes encode(@Nullable T element) {
    return codec.encode(Objects.requireNonNull(element, "an element can't be null"));
  }

  /** Returns the bytes of several elements. */
  List<Bytes> encodeAll(Collection<? extends T> all) {
    List<Bytes> encoded = new ArrayList<>();
    for (T element : all) {
      encoded.add(encode(element));
    }
    return List.copyOf(encoded);
  }

  T decode(Bytes bytes) {
    return codec.decode(bytes);
  }

  /** Returns the bytes of a possible element; empty if the object can't be one. */
  @SuppressWarnings("unchecked") // the codec refuses objects of another class
  Optional<Bytes> encodeAny(@Nullable Object any) {
    if (any == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(codec.encode((T) any));
    } catch (ClassCastException | ValueRefusedException e) {
      return Optional.empty();
    }
  }
}
