package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Pages;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link RunTree}. Immutable; a changed copy has the same number and replaces the same
 * page.
 */
abstract sealed class RunNode<C> permits RunNode.Leaf, RunNode.Inner, RunStub {
  /** The maximum number of runs of a leaf, and of children of an inner node. */
  static final int MAX = 32;

  /** Identifies the node in its tree. */
  final Integer number;

  /** The number of the page that the node was read from or replaces ({@link Pages}); 0 for none. */
  final int page;

  /** The number of elements below this node, including tombstones. */
  final int size;

  /** The number of visible elements below this node. */
  final int visible;

  /** The length of the visible elements in units ({@link Run#visibleUnits}). */
  final int units;

  /**
   * The total bytes of the visible elements ({@link Run#visibleBytes}). Excludes nodes in pages
   * whose references lack the number, until they are read.
   */
  final long bytes;

  /** The least first dot of a run below this node; null if there is no run. */
  final @Nullable Dot least;

  /** The totals of all runs below a node. */
  record Sums(int size, int visible, int units, long bytes, @Nullable Dot least) {
    private static final Sums NONE = new Sums(0, 0, 0, 0, null);

    private static Sums of(List<? extends Run<?>> runs) {
      long bytes = 0;
      for (Run<?> run : runs) {
        bytes += run.visibleBytes();
      }
      return NONE.with(new Run<?>[0], 0, 0, runs, bytes);
    }

    private static Sums ofNodes(List<? extends RunNode<?>> nodes) {
      Sums sums = NONE;
      for (RunNode<?> node : nodes) {
        sums =
            new Sums(
                sums.size + node.size,
                sums.visible + node.visible,
                sums.units + node.units,
                sums.bytes + node.bytes,
                lesser(sums.least, node.least));
      }
      return sums;
    }

    /**
     * The sums after replacing runs with runs that have at least the same elements.
     *
     * @param runs the runs before the replacement
     * @param addedBytes the growth of the total bytes
     */
    private Sums with(
        Run<?>[] runs, int slot, int removed, List<? extends Run<?>> added, long addedBytes) {
      int newSize = size;
      int newVisible = visible;
      int newUnits = units;
      for (int i = slot; i < slot + removed; i++) {
        newSize -= runs[i].size();
        newVisible -= runs[i].visibleSize();
        newUnits -= runs[i].visibleUnits();
      }
      Dot newLeast = least;
      for (int i = 0; i < added.size(); i++) {
        Run<?> run = added.get(i);
        newSize += run.size();
        newVisible += run.visibleSize();
        newUnits += run.visibleUnits();
        newLeast = lesser(newLeast, run.ids().first());
      }
      return new Sums(newSize, newVisible, newUnits, bytes + addedBytes, newLeast);
    }

    /** Whether each visible element takes one unit; none takes less. */
    private boolean isOneUnitEach() {
      return visible == units;
    }
  }

  RunNode(Integer number, int page, Sums sums) {
    this.number = number;
    this.page = page;
    this.size = sums.size;
    this.visible = sums.visible;
    this.units = sums.units;
    this.bytes = sums.bytes;
    this.least = sums.least;
  }

  final Sums sums() {
    return new Sums(size, visible, units, bytes, least);
  }

  /** This node with its runs or children in memory; reads its page if necessary. */
  RunNode<C> loaded() {
    return this;
  }

  /** Reports that a changed copy replaces this node and keeps the content of its page in memory. */
  void copied() {}

  /** The ends of the runs or children, in visible elements ({@link Ends}). */
  abstract int[] elementEnds();

  /**
   * The ends of the runs or children, in units; the same array as {@link #elementEnds} if each
   * element takes one unit.
   */
  abstract int[] unitEnds();

  /** Whether some run below this node begins with a lower dot than {@code dot}. */
  final boolean beginsBelow(Dot dot) {
    return least != null && least.compareTo(dot) < 0;
  }

  private static @Nullable Dot lesser(@Nullable Dot a, @Nullable Dot b) {
    return a == null || (b != null && b.compareTo(a) < 0) ? b : a;
  }

  /** A leaf, which holds runs. */
  static final class Leaf<C> extends RunNode<C> {
    final Run<C>[] runs;
    private final int[] elementEnds;
    private final int[] unitEnds;

    private Leaf(
        Integer number, int page, Run<C>[] runs, Sums sums, int[] elementEnds, int[] unitEnds) {
      super(number, page, sums);
      this.runs = runs;
      this.elementEnds = elementEnds;
      this.unitEnds = unitEnds;
    }

    @SuppressWarnings("unchecked") // the array holds only the given runs
    static <C> Leaf<C> of(Integer number, int page, List<Run<C>> runs) {
      Sums sums = Sums.of(runs);
      int[] elements = Ends.of(runs.size(), slot -> runs.get(slot).visibleSize());
      return new Leaf<>(
          number,
          page,
          runs.toArray((Run<C>[]) new Run<?>[0]),
          sums,
          elements,
          sums.isOneUnitEach()
              ? elements
              : Ends.of(runs.size(), slot -> runs.get(slot).visibleUnits()));
    }

    @Override
    int[] elementEnds() {
      return elementEnds;
    }

    @Override
    int[] unitEnds() {
      return unitEnds;
    }

    /**
     * Replaces runs with runs that have at least the same elements.
     *
     * @param addedBytes the growth of the visible elements' total bytes
     */
    Leaf<C> with(int slot, int removed, List<Run<C>> added, long addedBytes) {
      Sums sums = sums().with(runs, slot, removed, added, addedBytes);
      int addedCount = added.size();
      int[] elements =
          Ends.with(elementEnds, slot, removed, addedCount, i -> added.get(i).visibleSize());
      return new Leaf<>(
          number,
          page,
          spliced(runs, slot, removed, added),
          sums,
          elements,
          sums.isOneUnitEach()
              ? elements
              : Ends.with(unitEnds, slot, removed, addedCount, i -> added.get(i).visibleUnits()));
    }
  }

  /** An inner node, which holds children. */
  static final class Inner<C> extends RunNode<C> {
    private final RunNode<C>[] children;
    private final int[] elementEnds;
    private final int[] unitEnds;

    private Inner(
        Integer number,
        int page,
        RunNode<C>[] children,
        Sums sums,
        int[] elementEnds,
        int[] unitEnds) {
      super(number, page, sums);
      this.children = children;
      this.elementEnds = elementEnds;
      this.unitEnds = unitEnds;
    }

    @SuppressWarnings("unchecked") // the array holds only the given nodes
    static <C> Inner<C> of(Integer number, int page, List<? extends RunNode<C>> children) {
      Sums sums = Sums.ofNodes(children);
      int[] elements = Ends.of(children.size(), slot -> children.get(slot).visible);
      return new Inner<>(
          number,
          page,
          children.toArray((RunNode<C>[]) new RunNode<?>[0]),
          sums,
          elements,
          sums.isOneUnitEach()
              ? elements
              : Ends.of(children.size(), slot -> children.get(slot).units));
    }

    @Override
    int[] elementEnds() {
      return elementEnds;
    }

    @Override
    int[] unitEnds() {
      return unitEnds;
    }

    int slots() {
      return children.length;
    }

    RunNode<C> child(int slot) {
      return children[slot].loaded();
    }

    /** A child of which possibly only the sums are in memory. */
    RunNode<C> stored(int slot) {
      return children[slot];
    }

    /** Replaces one child with a changed copy. */
    Inner<C> with(int slot, RunNode<C> child) {
      RunNode<C>[] changed = children.clone();
      changed[slot] = child;
      RunNode<C> before = children[slot];
      Sums sums =
          new Sums(
              size + child.size - before.size,
              visible + child.visible - before.visible,
              units + child.units - before.units,
              bytes + child.bytes - before.bytes,
              lesser(least, child.least));
      int[] elements = Ends.with(elementEnds, slot, 1, 1, i -> child.visible);
      return new Inner<>(
          number,
          page,
          changed,
          sums,
          elements,
          sums.isOneUnitEach() ? elements : Ends.with(unitEnds, slot, 1, 1, i -> child.units));
    }

    /** The children after replacing one with several. */
    List<RunNode<C>> childrenWith(int slot, List<? extends RunNode<C>> added) {
      return Arrays.asList(spliced(children, slot, 1, added));
    }
  }

  private static <T> T[] spliced(T[] array, int from, int removed, List<? extends T> added) {
    T[] changed = Arrays.copyOf(array, array.length - removed + added.size());
    for (int i = 0; i < added.size(); i++) {
      changed[from + i] = added.get(i);
    }
    int rest = from + removed;
    System.arraycopy(array, rest, changed, from + added.size(), array.length - rest);
    return changed;
  }
}
