package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of a {@link RunTree}. Immutable; a changed copy has the same number. */
abstract sealed class RunNode<C> {
  /** The most runs of a leaf, and the most children of an inner node. */
  static final int MAX = 32;

  /** Names the node in its tree. */
  final Integer number;

  /** How many elements below this node a reader sees. */
  final int visible;

  /** How many places these take in a Java sequence ({@link Run#visibleUnits}). */
  final int units;

  /** The least first dot of a run below this node; null if there is no run. */
  final @Nullable Dot least;

  private RunNode(Integer number, int visible, int units, @Nullable Dot least) {
    this.number = number;
    this.visible = visible;
    this.units = units;
    this.least = least;
  }

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

    private Leaf(Integer number, Run<C>[] runs, int visible, int units, @Nullable Dot least) {
      super(number, visible, units, least);
      this.runs = runs;
    }

    @SuppressWarnings("unchecked") // an array of runs of anything, which is filled with the given
    static <C> Leaf<C> of(Integer number, List<Run<C>> runs) {
      Dot least = null;
      int visible = 0;
      int units = 0;
      for (Run<C> run : runs) {
        least = lesser(least, run.ids().first());
        visible += run.visibleSize();
        units += run.visibleUnits();
      }
      return new Leaf<>(number, runs.toArray((Run<C>[]) new Run<?>[0]), visible, units, least);
    }

    /** This leaf with runs in the place of others that held the same elements, or fewer. */
    Leaf<C> with(int slot, int removed, List<Run<C>> added) {
      int change = 0;
      int unitChange = 0;
      for (int i = slot; i < slot + removed; i++) {
        change -= runs[i].visibleSize();
        unitChange -= runs[i].visibleUnits();
      }
      Dot newLeast = least;
      for (Run<C> run : added) {
        change += run.visibleSize();
        unitChange += run.visibleUnits();
        newLeast = lesser(newLeast, run.ids().first());
      }
      return new Leaf<>(
          number,
          spliced(runs, slot, removed, added),
          visible + change,
          units + unitChange,
          newLeast);
    }
  }

  /** Some nodes. */
  static final class Inner<C> extends RunNode<C> {
    final RunNode<C>[] children;

    private Inner(
        Integer number, RunNode<C>[] children, int visible, int units, @Nullable Dot least) {
      super(number, visible, units, least);
      this.children = children;
    }

    @SuppressWarnings("unchecked") // an array of nodes of anything, which is filled with the given
    static <C> Inner<C> of(Integer number, List<RunNode<C>> children) {
      Dot least = null;
      int visible = 0;
      int units = 0;
      for (RunNode<C> child : children) {
        least = lesser(least, child.least);
        visible += child.visible;
        units += child.units;
      }
      return new Inner<>(
          number, children.toArray((RunNode<C>[]) new RunNode<?>[0]), visible, units, least);
    }

    /** This node with a changed copy of one child. */
    Inner<C> with(int slot, RunNode<C> child) {
      RunNode<C>[] changed = children.clone();
      changed[slot] = child;
      int change = child.visible - children[slot].visible;
      int unitChange = child.units - children[slot].units;
      return new Inner<>(
          number, changed, visible + change, units + unitChange, lesser(least, child.least));
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
