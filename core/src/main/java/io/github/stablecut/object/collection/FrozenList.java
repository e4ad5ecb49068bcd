package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import java.util.AbstractList;
import java.util.Iterator;

/** An immutable copy of a list. Immutable. */
final class FrozenList<T> extends AbstractList<T> {
  private final Tree<Bytes> then;
  private final Elements<T> elements;

  FrozenList(Tree<Bytes> then, Elements<T> elements) {
    this.then = then;
    this.elements = elements;
  }

  @Override
  public T get(int index) {
    return elements.decode(then.get(index));
  }

  @Override
  public int size() {
    return then.size();
  }

  @Override
  public Iterator<T> iterator() {
    Iterator<Bytes> encoded = then.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return encoded.hasNext();
      }

      @Override
      public T next() {
        return elements.decode(encoded.next());
      }
    };
  }
}
