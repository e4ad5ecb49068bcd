package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of a set of encoded elements, ordered by the bytes: decodes elements on access, and
 * encodes the elements that callers pass. As immutable as the underlying set.
 */
final class DecodedSet<T> extends AbstractSet<T> implements NavigableSet<T> {
  private final NavigableSet<Bytes> encoded;
  private final Codec<T> codec;

  DecodedSet(NavigableSet<Bytes> encoded, Codec<T> codec) {
    this.encoded = encoded;
    this.codec = codec;
  }

  private DecodedSet<T> of(NavigableSet<Bytes> part) {
    return new DecodedSet<>(part, codec);
  }

  /** The bytes of an element. */
  private Bytes encode(T element) {
    return codec.encode(Objects.requireNonNull(element, "element"));
  }

  private @Nullable T decode(@Nullable Bytes element) {
    return element == null ? null : codec.decode(element);
  }

  /**
   * Encodes an object that may be an element; returns null if the elements' codec does not accept
   * it.
   */
  @SuppressWarnings("unchecked") // the codec casts its argument
  static <T> @Nullable Bytes encodeIfPossible(Codec<T> codec, @Nullable Object other) {
    if (other == null) {
      return null;
    }
    try {
      return codec.encode((T) other);
    } catch (ClassCastException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Orders elements by their bytes. */
  static <T> Comparator<T> order(Codec<T> codec, @Nullable Comparator<? super Bytes> ofBytes) {
    Comparator<T> ascending = Comparator.comparing(codec::encode);
    return ofBytes == null ? ascending : ascending.reversed();
  }

  @Override
  public int size() {
    return encoded.size();
  }

  @Override
  public boolean contains(@Nullable Object other) {
    Bytes element = encodeIfPossible(codec, other);
    return element != null && encoded.contains(element);
  }

  @Override
  public Iterator<T> iterator() {
    Iterator<Bytes> elements = encoded.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return elements.hasNext();
      }

      @Override
      public T next() {
        return codec.decode(elements.next());
      }
    };
  }

  @Override
  public Iterator<T> descendingIterator() {
    return descendingSet().iterator();
  }

  @Override
  public Comparator<? super T> comparator() {
    return order(codec, encoded.comparator());
  }

  @Override
  public T first() {
    return codec.decode(encoded.first());
  }

  @Override
  public T last() {
    return codec.decode(encoded.last());
  }

  @Override
  public @Nullable T lower(T element) {
    return decode(encoded.lower(encode(element)));
  }

  @Override
  public @Nullable T floor(T element) {
    return decode(encoded.floor(encode(element)));
  }

  @Override
  public @Nullable T ceiling(T element) {
    return decode(encoded.ceiling(encode(element)));
  }

  @Override
  public @Nullable T higher(T element) {
    return decode(encoded.higher(encode(element)));
  }

  @Override
  public @Nullable T pollFirst() {
    return decode(encoded.pollFirst());
  }

  @Override
  public @Nullable T pollLast() {
    return decode(encoded.pollLast());
  }

  @Override
  public NavigableSet<T> descendingSet() {
    return of(encoded.descendingSet());
  }

  @Override
  public NavigableSet<T> subSet(T from, boolean isFromIncluded, T to, boolean isToIncluded) {
    return of(encoded.subSet(encode(from), isFromIncluded, encode(to), isToIncluded));
  }

  @Override
  public NavigableSet<T> headSet(T to, boolean isIncluded) {
    return of(encoded.headSet(encode(to), isIncluded));
  }

  @Override
  public NavigableSet<T> tailSet(T from, boolean isIncluded) {
    return of(encoded.tailSet(encode(from), isIncluded));
  }

  @Override
  public NavigableSet<T> subSet(T from, T to) {
    return subSet(from, true, to, false);
  }

  @Override
  public NavigableSet<T> headSet(T to) {
    return headSet(to, false);
  }

  @Override
  public NavigableSet<T> tailSet(T from) {
    return tailSet(from, true);
  }
}
