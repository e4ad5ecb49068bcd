package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.internal.sequence.Run.Visible;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;

/**
 * A list as a reader at a snapshot sees it: a view of the state, without a copy. Access by index
 * takes logarithmic time, an iterator's step amortized constant time. Immutable.
 */
public final class ElementList extends AbstractList<Bytes> {
  private final RunTree<List<Bytes>> tree;

  public ElementList(Elements<List<Bytes>> elements) {
    this.tree = elements.tree();
  }

  @Override
  public int size() {
    return tree.visibleSize();
  }

  @Override
  public Bytes get(int index) {
    RunTree.RunPosition<List<Bytes>> run = tree.runOfElement(Objects.checkIndex(index, size()));
    return elementsOf(run.run()).get(index - run.elementsBefore());
  }

  private static List<Bytes> elementsOf(Run<List<Bytes>> run) {
    return run instanceof Visible<List<Bytes>> visible ? visible.elements() : List.of();
  }

  @Override
  public Iterator<Bytes> iterator() {
    return new ElementIterator();
  }

  /** Iterates with one search per run. */
  private final class ElementIterator implements Iterator<Bytes> {
    private int next;
    private List<Bytes> run = List.of();
    private int offset;

    @Override
    public boolean hasNext() {
      return next < size();
    }

    @Override
    public Bytes next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the list has %d elements".formatted(size()));
      }
      if (offset == run.size()) {
        run = elementsOf(tree.runOfElement(next).run());
        offset = 0;
      }
      next++;
      return run.get(offset++);
    }
  }
}
