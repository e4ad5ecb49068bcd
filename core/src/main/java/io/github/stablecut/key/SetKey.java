package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The name of a set. Elements are the same if their bytes are. A reader sees the elements in the
 * order of their bytes, as a set that can't be changed.
 *
 * @param <T> the elements
 */
public abstract sealed class SetKey<T> extends Key<Set<T>> permits GrowOnlySetKey, RemovableSetKey {
  private final Codec<T> elements;

  SetKey(Place place, CrdtType<?, ?, ?, Set<Bytes>> type, Codec<T> elements) {
    super(place, type, value -> decode(elements, value));
    this.elements = Objects.requireNonNull(elements, "codec");
  }

  private static <T> Set<T> decode(Codec<T> elements, Set<Bytes> value) {
    Set<T> decoded = new LinkedHashSet<>();
    for (Bytes element : value) {
      decoded.add(elements.decode(element));
    }
    return Collections.unmodifiableSet(decoded);
  }

  /** Adds an element. */
  public final Update add(T element) {
    return addAll(List.of(element));
  }

  /** Adds elements. */
  public final Update addAll(Collection<? extends T> added) {
    return updateBy(addition(encode(added)));
  }

  final List<Bytes> encode(Collection<? extends T> values) {
    return values.stream().map(elements::encode).toList();
  }

  final Codec<T> codec() {
    return elements;
  }

  /** The operation that adds elements. */
  abstract Object addition(List<Bytes> added);
}
