package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.internal.sequence.Run.Deleted;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes elements on behalf of one transaction: turns them into tombstones. Confined to one call.
 */
final class ElementDeletion<C> {
  private final Content<C> content;
  private final Dot by;
  private RunTree<C> tree;

  /**
   * @param by the deleting transaction, as a dot with index 0
   */
  ElementDeletion(Content<C> content, RunTree<C> tree, Dot by) {
    this.content = content;
    this.tree = tree;
    this.by = by;
  }

  /** The elements after the deletions so far. */
  RunTree<C> tree() {
    return tree;
  }

  /** Deletes the elements with some dots; ignores dots without an element. */
  void delete(Dots ids) {
    for (int i = 0; i < ids.spanCount(); i++) {
      delete(ids.span(i).ascending(), ids.dataCentre());
    }
  }

  /**
   * The work is proportional to the elements found, not to the dots requested: untrusted bytes may
   * request any number of dots.
   */
  private void delete(DotSpan ids, int dataCentre) {
    int done = 0;
    while (done < ids.size()) {
      Dot dot = ids.dot(done, dataCentre);
      RunCursor<C> at = tree.floor(dot);
      if (at != null && at.dot().equals(dot)) {
        done += delete(at, at.run().ids().countAlike(at.offset(), ids, done));
      } else {
        Dot next = nextAbove(dot, at);
        if (next == null) {
          return;
        }
        done = ids.countBelow(next, dataCentre);
      }
    }
  }

  /**
   * The least dot of an element above an absent dot; null if there is none.
   *
   * @param floor the element with the greatest dot below {@code dot}, if any
   */
  private @Nullable Dot nextAbove(Dot dot, @Nullable RunCursor<C> floor) {
    if (floor != null && floor.offset() + 1 < floor.run().size()) {
      return floor.run().ids().get(floor.offset() + 1);
    }
    return tree.startAbove(dot);
  }

  /** Deletes up to {@code count} elements after a gap; returns how many it has processed. */
  private int delete(RunCursor<C> at, int count) {
    Run<C> run = at.run();
    if (run instanceof Deleted<C> before) {
      int alike = Math.min(count, before.by().countEqual(at.offset()));
      if (by.compareTo(before.by().get(at.offset())) < 0) {
        replace(at, at.offset() + alike);
      }
      return alike;
    }
    replace(at, at.offset() + count);
    return count;
  }

  /** Replaces elements with tombstones, joining them with adjacent tombstones if possible. */
  private void replace(RunCursor<C> at, int to) {
    Run<C> run = at.run();
    int from = at.offset();
    Run<C> tombstones =
        new Deleted<>(
            run.ids().part(from, to), Dots.repeated(by, to - from), run.isBefore() && from == 0);
    List<Run<C>> runs = new ArrayList<>(3);
    int removed = 1;
    Run<C> next = at.nextInLeaf();
    if (to < run.size()) {
      runs.add(run.part(content, to, run.size()));
    } else if (next != null && canJoin(tombstones, next) && tree.areNeighbours(run, next)) {
      tombstones = tombstones.joined(content, next);
      removed++;
    }
    Run<C> previous = at.previousInLeaf();
    if (from > 0) {
      runs.add(0, run.part(content, 0, from));
    } else if (previous != null
        && canJoin(previous, tombstones)
        && tree.areNeighbours(previous, run)) {
      tombstones = previous.joined(content, tombstones);
      removed++;
      at.moveToPrevious();
    }
    runs.add(from > 0 ? 1 : 0, tombstones);
    tree = tree.replace(at, removed, runs, -run.visibleBytes(from, to));
  }

  private static <C> boolean canJoin(Run<C> left, Run<C> right) {
    return left.precedes(right) && left.fitsWith(right);
  }
}
