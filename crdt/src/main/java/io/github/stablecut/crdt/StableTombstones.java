package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Run.Deleted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Which tombstones can go: those whose deletion is at or below the frontier, and so are all
 * elements that were inserted after or before them. Confined to one call.
 *
 * <p>No transaction still to come refers to such a tombstone, because it has seen the deletion. But
 * that is not enough: let the tombstone 5 have an unstable child 9, and let an 8 be on its way that
 * was inserted, concurrently, before the 5. With the tombstone the 8 stops at it, and stands to the
 * left of the 9; without it the 8 meets the 9, which is greater, and goes to the right of it. Once
 * the 9 is stable, whatever is still to come is greater than it, and stops there too.
 */
final class StableTombstones<C> {
  private final List<Run<C>> runs;
  private final VectorClock frontier;

  /** For each run, which of its elements are references of unstable ones in other runs. */
  private final List<NavigableSet<Integer>> references = new ArrayList<>();

  private StableTombstones(List<Run<C>> runs, VectorClock frontier) {
    this.runs = runs;
    this.frontier = frontier;
  }

  /** The runs without the tombstones that can go. */
  static <C> List<Run<C>> removed(Content<C> content, List<Run<C>> runs, VectorClock frontier) {
    StableTombstones<C> tombstones = new StableTombstones<>(runs, frontier);
    tombstones.findReferences();
    List<Run<C>> rest = new ArrayList<>(runs.size());
    for (int i = 0; i < runs.size(); i++) {
      if (runs.get(i) instanceof Deleted<C> deleted) {
        tombstones.addRest(content, deleted, tombstones.references.get(i), rest);
      } else {
        rest.add(runs.get(i));
      }
    }
    return rest;
  }

  /** The elements of a run from its first to before one. */
  private record Beginning(int run, int size) {}

  /** Elements of a run from one to before another. */
  private record Range(int from, int to) {}

  /** Finds the references of unstable elements, on both sides. */
  private void findReferences() {
    runs.forEach(run -> references.add(new TreeSet<>()));
    findReferencesToTheLeft();
    findReferencesToTheRight();
  }

  private boolean isUnstable(Run<C> run) {
    return !run.ids().first().isAtOrBefore(frontier);
  }

  /**
   * For each run that was inserted before another element, the nearest one to its right with a
   * smaller dot than its first, which is the first of a run. The ones that can still be such, which
   * descend to the right, are on a stack.
   */
  private void findReferencesToTheRight() {
    Deque<Integer> descending = new ArrayDeque<>();
    for (int i = runs.size() - 1; i >= 0; i--) {
      Run<C> run = runs.get(i);
      while (!descending.isEmpty() && firstOf(descending.peek()).compareTo(run.ids().first()) > 0) {
        int unused = descending.pop();
      }
      if (!descending.isEmpty() && run.isBefore() && isUnstable(run)) {
        references.get(descending.peek()).add(0);
      }
      descending.push(i);
    }
  }

  private Dot firstOf(int run) {
    return runs.get(run).ids().first();
  }

  /**
   * For each run that was inserted after another element, the nearest one to its left with a
   * smaller dot than its first. The ones that can still be such, which ascend, are on a stack.
   */
  private void findReferencesToTheLeft() {
    Deque<Beginning> ascending = new ArrayDeque<>();
    for (int i = 0; i < runs.size(); i++) {
      Dot first = runs.get(i).ids().first();
      while (!ascending.isEmpty()) {
        Beginning top = ascending.pop();
        int smaller = Math.min(top.size, runs.get(top.run).ids().floor(first) + 1);
        if (smaller > 0) {
          ascending.push(new Beginning(top.run, smaller));
          if (!runs.get(i).isBefore() && isUnstable(runs.get(i))) {
            references.get(top.run).add(smaller - 1);
          }
          break;
        }
      }
      ascending.push(new Beginning(i, runs.get(i).size()));
    }
  }

  /** Adds what stays of a run of tombstones. Of elements that are unstable themselves, all does. */
  private void addRest(
      Content<C> content, Deleted<C> run, NavigableSet<Integer> references, List<Run<C>> rest) {
    int stable = run.ids().countAtOrBefore(frontier);
    if (stable > 0 && stable < run.size()) {
      references.add(stable - 1);
    }
    Deque<Range> kept = new ArrayDeque<>();
    int to;
    for (int from = 0; from < stable; from = to) {
      to = Math.min(from + run.by().countEqual(from), stable);
      if (run.by().get(from).isAtOrBefore(frontier)) {
        references.subSet(from, to).forEach(one -> keep(kept, one, one + 1));
      } else {
        keep(kept, from, to);
      }
    }
    keep(kept, stable, run.size());
    kept.forEach(range -> rest.add(run.part(content, range.from, range.to)));
  }

  private static void keep(Deque<Range> kept, int from, int to) {
    if (from == to) {
      return;
    }
    boolean follows = !kept.isEmpty() && kept.getLast().to == from;
    kept.add(new Range(follows ? kept.removeLast().from : from, to));
  }
}
