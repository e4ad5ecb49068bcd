package io.github.stablecut.object.collection;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sequence whose changed copies share all but a few nodes with it: a weight-balanced
 * tree (Nievergelt and Reingold 1972, with the parameters of Hirai and Yamamoto 2011). Reading or
 * changing the element at an index takes logarithmic time. Finding an element does too, if the
 * elements are sorted. Thread-safe.
 *
 * @param <E> the elements; immutable
 */
public final class Tree<E> implements Iterable<E> {
  private static final int DELTA = 3;
  private static final int RATIO = 2;
  private static final Tree<?> EMPTY = new Tree<>(null);

  private final @Nullable Node<E> root;

  private Tree(@Nullable Node<E> root) {
    this.root = root;
  }

  private record Node<E>(@Nullable Node<E> left, E element, @Nullable Node<E> right, int size) {
    static <E> Node<E> of(@Nullable Node<E> left, E element, @Nullable Node<E> right) {
      return new Node<>(left, element, right, Tree.size(left) + 1 + Tree.size(right));
    }
  }

  @SuppressWarnings("unchecked") // the tree has no elements
  static <E> Tree<E> empty() {
    return (Tree<E>) EMPTY;
  }

  /** Returns a tree of elements, in linear time. */
  static <E> Tree<E> of(List<E> elements) {
    return new Tree<>(built(elements, 0, elements.size()));
  }

  private static <E> @Nullable Node<E> built(List<E> elements, int from, int to) {
    if (from == to) {
      return null;
    }
    int middle = (from + to) >>> 1;
    return Node.of(
        built(elements, from, middle), elements.get(middle), built(elements, middle + 1, to));
  }

  private static int size(@Nullable Node<?> node) {
    return node == null ? 0 : node.size;
  }

  int size() {
    return size(root);
  }

  boolean isEmpty() {
    return root == null;
  }

  /**
   * Returns the element at an index.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  E get(int index) {
    int at = Objects.checkIndex(index, size());
    Node<E> node = Objects.requireNonNull(root);
    while (true) {
      int left = size(node.left);
      if (at == left) {
        return node.element;
      }
      if (at < left) {
        node = Objects.requireNonNull(node.left);
      } else {
        at -= left + 1;
        node = Objects.requireNonNull(node.right);
      }
    }
  }

  /** Returns this tree with the element at an index replaced. */
  Tree<E> with(int index, E element) {
    return new Tree<>(replaced(root, Objects.checkIndex(index, size()), element));
  }

  private static <E> Node<E> replaced(@Nullable Node<E> in, int index, E element) {
    Node<E> node = Objects.requireNonNull(in);
    int left = size(node.left);
    if (index == left) {
      return new Node<>(node.left, element, node.right, node.size);
    }
    return index < left
        ? new Node<>(replaced(node.left, index, element), node.element, node.right, node.size)
        : new Node<>(
            node.left, node.element, replaced(node.right, index - left - 1, element), node.size);
  }

  /** Returns this tree with an element inserted before the one at an index, or at the end. */
  Tree<E> inserted(int index, E element) {
    return new Tree<>(insertedIn(root, Objects.checkIndex(index, size() + 1), element));
  }

  private static <E> Node<E> insertedIn(@Nullable Node<E> node, int index, E element) {
    if (node == null) {
      return new Node<>(null, element, null, 1);
    }
    int left = size(node.left);
    return index <= left
        ? balanced(insertedIn(node.left, index, element), node.element, node.right)
        : balanced(node.left, node.element, insertedIn(node.right, index - left - 1, element));
  }

  /** Returns this tree without the element at an index. */
  Tree<E> removed(int index) {
    Node<E> node = removedIn(root, Objects.checkIndex(index, size()));
    return node == null ? empty() : new Tree<>(node);
  }

  private static <E> @Nullable Node<E> removedIn(@Nullable Node<E> in, int index) {
    Node<E> node = Objects.requireNonNull(in);
    int left = size(node.left);
    if (index < left) {
      return balanced(removedIn(node.left, index), node.element, node.right);
    }
    if (index > left) {
      return balanced(node.left, node.element, removedIn(node.right, index - left - 1));
    }
    if (node.left == null || node.right == null) {
      return node.left == null ? node.right : node.left;
    }
    Node<E> next = node.right;
    while (next.left != null) {
      next = next.left;
    }
    return balanced(node.left, next.element, removedIn(node.right, 0));
  }

  /**
   * Returns a balanced node of two subtrees, one of which may have one element too many or too few.
   */
  private static <E> Node<E> balanced(@Nullable Node<E> left, E element, @Nullable Node<E> right) {
    if (isTooHeavy(right, left)) {
      Node<E> heavy = Objects.requireNonNull(right);
      if (weight(heavy.left) < RATIO * weight(heavy.right)) {
        return Node.of(Node.of(left, element, heavy.left), heavy.element, heavy.right);
      }
      Node<E> inner = Objects.requireNonNull(heavy.left);
      return Node.of(
          Node.of(left, element, inner.left),
          inner.element,
          Node.of(inner.right, heavy.element, heavy.right));
    }
    if (isTooHeavy(left, right)) {
      Node<E> heavy = Objects.requireNonNull(left);
      if (weight(heavy.right) < RATIO * weight(heavy.left)) {
        return Node.of(heavy.left, heavy.element, Node.of(heavy.right, element, right));
      }
      Node<E> inner = Objects.requireNonNull(heavy.right);
      return Node.of(
          Node.of(heavy.left, heavy.element, inner.left),
          inner.element,
          Node.of(inner.right, element, right));
    }
    return Node.of(left, element, right);
  }

  private static int weight(@Nullable Node<?> node) {
    return size(node) + 1;
  }

  private static boolean isTooHeavy(@Nullable Node<?> node, @Nullable Node<?> other) {
    return weight(node) > DELTA * weight(other);
  }

  /**
   * Searches a sorted tree for an element.
   *
   * @param order compares the wanted element with another: negative if it comes before, 0 if they
   *     match
   * @return its index, or {@code -1 - i} if it is missing and its insertion index is {@code i}
   */
  int search(ToIntFunction<? super E> order) {
    Node<E> node = root;
    int before = 0;
    while (node != null) {
      int compared = order.applyAsInt(node.element);
      if (compared == 0) {
        return before + size(node.left);
      }
      if (compared < 0) {
        node = node.left;
      } else {
        before += size(node.left) + 1;
        node = node.right;
      }
    }
    return -1 - before;
  }

  /** Iterates over the elements; the iterator does not support removal. */
  @Override
  public Iterator<E> iterator() {
    return iterator(0);
  }

  /** Iterates over the elements from an index on. */
  Iterator<E> iterator(int from) {
    return new Walk<>(root, from);
  }

  /** Returns the elements as an immutable list. */
  List<E> toList() {
    List<E> all = new ArrayList<>(size());
    forEach(all::add);
    return List.copyOf(all);
  }

  /** Keeps the nodes whose element and right subtree are still to be visited. */
  private static final class Walk<E> implements Iterator<E> {
    private final List<Node<E>> open = new ArrayList<>();

    Walk(@Nullable Node<E> root, int from) {
      Node<E> node = root;
      int skip = from;
      while (node != null) {
        int left = size(node.left);
        if (skip <= left) {
          open.add(node);
          node = skip == left ? null : node.left;
        } else {
          skip -= left + 1;
          node = node.right;
        }
      }
    }

    @Override
    public boolean hasNext() {
      return !open.isEmpty();
    }

    @Override
    public E next() {
      if (open.isEmpty()) {
        throw new NoSuchElementException("there are no more elements");
      }
      Node<E> next = open.remove(open.size() - 1);
      for (Node<E> node = next.right; node != null; node = node.left) {
        open.add(node);
      }
      return next.element;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Tree<?> that && toList().equals(that.toList());
  }

  @Override
  public int hashCode() {
    return toList().hashCode();
  }

  @Override
  public String toString() {
    return toList().toString();
  }
}
