package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The last changed leaf of a {@link RunTree}, before the nodes above it and {@link RunStarts} are
 * updated. Most edits are next to the previous one; with an open leaf they don't copy those nodes.
 * Immutable.
 *
 * <p>Invariant: the leaf still has all its previous elements and the same least first dot. So the
 * order of dots that the nodes above record is correct; only their counts are outdated.
 *
 * @param path the path from the leaf to the root
 * @param before the leaf that the node above still refers to
 * @param elementsBefore the number of visible elements before the leaf
 * @param unitsBefore the number of units before the leaf ({@link Run#visibleUnits})
 */
record OpenLeaf<C>(
    RunPath<C> path, Leaf<C> before, Leaf<C> leaf, int elementsBefore, int unitsBefore) {
  static <C> OpenLeaf<C> of(RunPath<C> path, Leaf<C> before, Leaf<C> leaf) {
    return new OpenLeaf<>(path, before, leaf, path.elementsBefore(), path.unitsBefore());
  }

  OpenLeaf<C> with(Leaf<C> changed) {
    return new OpenLeaf<>(path, before, changed, elementsBefore, unitsBefore);
  }

  /** Whether a number is that of this leaf. */
  boolean is(Integer number) {
    return leaf.number.equals(number);
  }

  /** Whether the leaf's least first dot is the same as before. */
  boolean hasSameLeastDot() {
    return Objects.equals(leaf.least, before.least);
  }

  int before(boolean inUnits) {
    return inUnits ? unitsBefore : elementsBefore;
  }

  int size(boolean inUnits) {
    return inUnits ? leaf.units : leaf.visible;
  }

  int added(boolean inUnits) {
    return inUnits ? addedUnits() : addedVisible();
  }

  /** The number of visible elements added. */
  int addedVisible() {
    return leaf.visible - before.visible;
  }

  /** The number of units added. */
  int addedUnits() {
    return leaf.units - before.units;
  }

  /**
   * The slot of the run with the greatest first dot at or below a dot, in the same data centre; -1
   * if there is none.
   */
  int floor(Dot dot) {
    int found = -1;
    Dot greatest = null;
    for (int slot = 0; slot < leaf.runs.length; slot++) {
      Dot start = leaf.runs[slot].ids().first();
      if (start.dataCentre() == dot.dataCentre()
          && start.compareTo(dot) <= 0
          && (greatest == null || start.compareTo(greatest) > 0)) {
        found = slot;
        greatest = start;
      }
    }
    return found;
  }

  /** The least first dot of a run above a dot, in the same data centre; null if there is none. */
  @Nullable Dot startAbove(Dot dot) {
    Dot least = null;
    for (Run<C> run : leaf.runs) {
      Dot start = run.ids().first();
      if (start.dataCentre() == dot.dataCentre()
          && start.compareTo(dot) > 0
          && (least == null || start.compareTo(least) < 0)) {
        least = start;
      }
    }
    return least;
  }
}
