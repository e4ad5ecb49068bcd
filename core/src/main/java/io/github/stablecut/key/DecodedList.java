package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;

/**
 * A view of a list of encoded elements, which decodes each element on access. As immutable as the
 * underlying list.
 */
final class DecodedList<T> extends AbstractList<T> {
  private final List<Bytes> encoded;
  private final Codec<T> codec;

  DecodedList(List<Bytes> encoded, Codec<T> codec) {
    this.encoded = encoded;
    this.codec = codec;
  }

  @Override
  public int size() {
    return encoded.size();
  }

  @Override
  public T get(int index) {
    return codec.decode(encoded.get(index));
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
}
