package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link RunTree}. Immutable; a changed copy has the same number, and replaces the same
 * page.
 */
abstract sealed class RunNode<C> permits RunNode.Leaf, RunNode.Inner, RunStub {
  /** The most runs of a leaf, and the most children of an inner node. */
  static final int MAX = 32;

  /** Names the node in its tree. */
  final Integer number;

  /** The number of the page that it is read from or replaces ({@link Pages}); 0 for none. */
  final int page;

  /** How many elements are below this node, tombstones included. */
  final int size;

  /** How many elements below this node a reader sees. */
  final int visible;

  /** How many places these take in a Java sequence ({@link Run#visibleUnits}). */
  final int units;

  /**
   * How many bytes these have ({@link Run#visibleBytes}). Of a node in a page that doesn't say, the
   * bytes below it are not counted until it is read.
   */
  final long bytes;

  /** The least first dot of a run below this node; null if there is no run. */
  final @Nullable Dot least;

  /** What a node knows of all runs below it. */
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
     * These with some runs in the place of others that held the same elements, or fewer.
     *
     * @param runs of which some go
     * @param addedBytes by how many the bytes grow
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

    /** Whether each visible element takes one place: none takes less. */
    private boolean isOnePlaceEach() {
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

  /** This node with its runs or children in memory. */
  RunNode<C> loaded() {
    return this;
  }

  /** A changed copy comes in its place, which holds what the page holds that it is read from. */
  void copied() {}

  /** Where its runs or children end, counted in visible elements. */
  abstract int[] elementEnds();

  /**
   * Where its runs or children end, counted in places of a Java sequence; the same array if each
   * element takes one.
   */
  abstract int[] unitEnds();

  /** Whether a run below this node begins below a dot. */
  final boolean beginsBelow(Dot dot) {
    return least != null && least.compareTo(dot) < 0;
  }

  private static @Nullable Dot lesser(@Nullable Dot a, @Nullable Dot b) {
    return a == null || (b != null && b.compareTo(a) < 0) ? b : a;
  }

  /** Some runs. */
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

    @SuppressWarnings("unchecked") // an array of runs of anything, which is filled with the given
    static <C> Leaf<C> of(Integer number, int page, List<Run<C>> runs) {
      Sums sums = Sums.of(runs);
      int[] elements = Ends.of(runs.size(), slot -> runs.get(slot).visibleSize());
      return new Leaf<>(
          number,
          page,
          runs.toArray((Run<C>[]) new Run<?>[0]),
          sums,
          elements,
          sums.isOnePlaceEach()
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
     * This leaf with runs in the place of others that held the same elements, or fewer.
     *
     * @param addedBytes by how many the bytes of visible elements grow
     */
    Leaf<C> with(int slot, int removed, List<Run<C>> added, long addedBytes) {
      Sums sums = sums().with(runs, slot, removed, added, addedBytes);
      int more = added.size();
      int[] elements = Ends.with(elementEnds, slot, removed, more, i -> added.get(i).visibleSize());
      return new Leaf<>(
          number,
          page,
          spliced(runs, slot, removed, added),
          sums,
          elements,
          sums.isOnePlaceEach()
              ? elements
              : Ends.with(unitEnds, slot, removed, more, i -> added.get(i).visibleUnits()));
    }
  }

  /** Some nodes. */
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

    @SuppressWarnings("unchecked") // an array of nodes of anything, which is filled with the given
    static <C> Inner<C> of(Integer number, int page, List<? extends RunNode<C>> children) {
      Sums sums = Sums.ofNodes(children);
      int[] elements = Ends.of(children.size(), slot -> children.get(slot).visible);
      return new Inner<>(
          number,
          page,
          children.toArray((RunNode<C>[]) new RunNode<?>[0]),
          sums,
          elements,
          sums.isOnePlaceEach()
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

    /** The same, of which only what it knows of all its runs may be in memory. */
    RunNode<C> stored(int slot) {
      return children[slot];
    }

    /** This node with a changed copy of one child. */
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
          sums.isOnePlaceEach() ? elements : Ends.with(unitEnds, slot, 1, 1, i -> child.units));
    }

    /** The children with several in the place of one. */
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
