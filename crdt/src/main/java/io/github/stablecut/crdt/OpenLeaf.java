package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.RunNode.Leaf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The leaf of a {@link RunTree} that was changed last, as long as the nodes above it, and {@link
 * RunStarts}, are as they were before. Most edits are beside the last one: none of those has to be
 * copied for them. Immutable.
 *
 * <p>Invariant: it has all elements that the leaf had before, and begins no lower, so that what the
 * nodes above know of the order of dots is right. Only what they count is not.
 *
 * @param way from the leaf to the root
 * @param before what the node above still holds
 * @param elementsBefore how many visible elements are before the leaf
 * @param unitsBefore how many places of a Java sequence these take
 */
record OpenLeaf<C>(
    RunPath<C> way, Leaf<C> before, Leaf<C> leaf, int elementsBefore, int unitsBefore) {
  static <C> OpenLeaf<C> of(RunPath<C> way, Leaf<C> before, Leaf<C> leaf) {
    return new OpenLeaf<>(way, before, leaf, way.elementsBefore(), way.unitsBefore());
  }

  OpenLeaf<C> with(Leaf<C> changed) {
    return new OpenLeaf<>(way, before, changed, elementsBefore, unitsBefore);
  }

  /** Whether a leaf has the number of this one. */
  boolean is(Integer number) {
    return leaf.number.equals(number);
  }

  /** Whether the leaf begins with the same dot as before. */
  boolean beginsAsBefore() {
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

  /** How many visible elements were added. */
  int addedVisible() {
    return leaf.visible - before.visible;
  }

  /** How many places of a Java sequence were added. */
  int addedUnits() {
    return leaf.units - before.units;
  }

  /**
   * The slot of the run with the greatest first dot at or below one, of the same data centre; -1 if
   * there is none.
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

  /** The least first dot of a run above one, of the same data centre; null if there is none. */
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
