package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.internal.sequence.Run.Deleted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Finds the tombstones that can be discarded: those of which the deletion and all elements inserted
 * next to them are at or below the frontier. Confined to one call.
 *
 * <p>A stable deletion ensures that no future transaction refers to the tombstone, because it has
 * observed the deletion. That is not sufficient. Suppose that tombstone 5 has an unstable child 9,
 * and that an element 8, concurrently inserted before 5, is yet to arrive. With the tombstone, 8
 * stops at 5 and ends up to the left of 9. Without it, 8 meets the greater 9 and moves to its
 * right. Once 9 is stable, every element yet to arrive is greater than 9, and stops there too.
 */
final class StableTombstones<C> {
  private final List<Run<C>> runs;
  private final VectorClock frontier;

  /** For each run, its elements that are references of unstable elements in other runs. */
  private final List<NavigableSet<Integer>> references = new ArrayList<>();

  private StableTombstones(List<Run<C>> runs, VectorClock frontier) {
    this.runs = runs;
    this.frontier = frontier;
  }

  /** Removes the tombstones that can be discarded. */
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

  /** The first {@code size} elements of a run. */
  private record RunPrefix(int run, int size) {}

  /** The elements of a run from one index (inclusive) to another (exclusive). */
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
   * For each run that was inserted before another element, finds the nearest element to the right
   * with a smaller dot than the run's first. That element is the first of its run. A stack holds
   * the candidates, which descend to the right.
   */
  private void findReferencesToTheRight() {
    Deque<Integer> descending = new ArrayDeque<>();
    for (int i = runs.size() - 1; i >= 0; i--) {
      Run<C> run = runs.get(i);
      while (!descending.isEmpty() && firstOf(descending.peek()).compareTo(run.ids().first()) > 0) {
        descending.pop();
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
   * For each run that was inserted after another element, finds the nearest element to the left
   * with a smaller dot than the run's first. A stack holds the candidates, which ascend.
   */
  private void findReferencesToTheLeft() {
    Deque<RunPrefix> ascending = new ArrayDeque<>();
    for (int i = 0; i < runs.size(); i++) {
      Dot first = runs.get(i).ids().first();
      while (!ascending.isEmpty()) {
        RunPrefix top = ascending.pop();
        int smaller = Math.min(top.size, runs.get(top.run).ids().floor(first) + 1);
        if (smaller > 0) {
          ascending.push(new RunPrefix(top.run, smaller));
          if (!runs.get(i).isBefore() && isUnstable(runs.get(i))) {
            references.get(top.run).add(smaller - 1);
          }
          break;
        }
      }
      ascending.push(new RunPrefix(i, runs.get(i).size()));
    }
  }

  /** Adds the remaining tombstones of a run, including all tombstones of unstable elements. */
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
