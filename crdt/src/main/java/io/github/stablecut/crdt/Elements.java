package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Run.Visible;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list or text, tombstones included, in the order of RGA (Roh et al. 2011).
 * Immutable.
 *
 * <p>Each element was inserted after another, its reference, or at the beginning. It goes to the
 * right of its reference, but further to the right of whatever stands there with a greater dot. So
 * the elements are a tree: each is a child of its reference, younger children come first, and the
 * whole is read from the root down.
 *
 * <p>References are not kept, for the sequence of dots tells them: <em>the reference of an element
 * is the nearest one to its left with a smaller dot</em>. What stands between the two are siblings
 * with greater dots and what was inserted below them, which is younger still. Taking out tombstones
 * leaves that so, as long as no reference of an unstable element is among them ({@link
 * StableTombstones}).
 */
final class Elements<C> {
  /** So many are looked at whenever they are pruned, even if they are in pages. */
  private static final int FEW = 5_000;

  private final Content<C> content;
  private final RunTree<C> tree;

  Elements(Content<C> content, RunTree<C> tree) {
    this.content = content;
    this.tree = tree;
  }

  /** How many elements a reader sees. */
  int visibleSize() {
    return tree.visibleSize();
  }

  /** What a reader sees. */
  C visible() {
    List<C> parts = new ArrayList<>();
    tree.forEach(
        run -> {
          if (run instanceof Visible<C> visible) {
            parts.add(visible.elements());
          }
        });
    return content.joined(parts);
  }

  /**
   * All runs from left to right, as long as they can be. Elements are equal if and only if these
   * are.
   */
  List<Run<C>> longestRuns() {
    List<Run<C>> runs = tree.runs();
    List<Run<C>> longest = new ArrayList<>();
    int from = 0;
    for (int i = 1; i <= runs.size(); i++) {
      if (i == runs.size()
          || !runs.get(i - 1).precedes(runs.get(i))
          || !tree.areNeighbours(runs.get(i - 1), runs.get(i))) {
        longest.add(Run.joined(content, runs.subList(from, i)));
        from = i;
      }
    }
    return longest;
  }

  RunTree<C> tree() {
    return tree;
  }

  /** The dot of the visible element with {@code position} others before it. */
  Dot idAt(int position) {
    return tree.beforeVisible(position).dot();
  }

  /** The dots of the visible elements from one position to before another. */
  List<Dots> idsAt(int from, int to) {
    List<Dots> parts = new ArrayList<>();
    RunCursor<C> cursor = from < to ? tree.beforeVisible(from) : tree.start();
    for (int position = from; position < to; ) {
      int begin = cursor.offset();
      int end = Math.min(cursor.run().visibleSize(), begin + to - position);
      if (begin < end) {
        parts.add(cursor.run().ids().part(begin, end));
        position += end - begin;
      }
      if (position < to && !cursor.moveToNextRun()) {
        throw new IndexOutOfBoundsException(to + " of " + visibleSize());
      }
    }
    return Dots.joined(parts);
  }

  /**
   * These elements and new ones. Where they can't be new, because an element has one of their dots,
   * nothing changes; where their reference is unknown they go to the beginning.
   *
   * @param reference what they are inserted after; empty for the beginning
   * @param ids their dots, which follow each other in one transaction
   */
  Elements<C> insert(Optional<Dot> reference, Dots ids, C elements) {
    RunCursor<C> before = tree.floor(ids.last());
    if (before != null) {
      if (before.dot().compareTo(ids.first()) >= 0) {
        return this;
      }
      before.moveInRun(1);
      if (before.offset() < before.run().size()) { // runs must not interleave
        return with(tree.replace(before, 1, around(before, List.of())))
            .insert(reference, ids, elements);
      }
    }
    RunCursor<C> gap = after(reference, before);
    gap.moveBelow(ids.first());
    if (gap.offset() == 0) {
      return with(tree.replace(gap, 0, pieces(ids, elements)));
    }
    if (gap.offset() < gap.run().size()) {
      return with(tree.replace(gap, 1, around(gap, pieces(ids, elements))));
    }
    Run<C> inserted = new Visible<>(ids, elements);
    Run<C> left = gap.run();
    boolean nothingBetween = before != null && before.run() == left;
    if (nothingBetween && left.precedes(inserted) && left.fitsWith(inserted)) {
      return with(tree.replace(gap, 1, List.of(left.joined(content, inserted))));
    }
    gap.moveAfterRun();
    return with(tree.replace(gap, 0, pieces(ids, elements)));
  }

  private Elements<C> with(RunTree<C> changed) {
    return changed == tree ? this : new Elements<>(content, changed);
  }

  /**
   * The gap after a reference.
   *
   * @param near a gap that is probably the one
   */
  private RunCursor<C> after(Optional<Dot> reference, @Nullable RunCursor<C> near) {
    if (reference.isEmpty()) {
      return tree.start();
    }
    Dot dot = reference.get();
    if (near != null && near.run().ids().last().equals(dot)) {
      return near;
    }
    RunCursor<C> found = tree.floor(dot);
    if (found == null || !found.dot().equals(dot)) {
      return tree.start();
    }
    found.moveInRun(1);
    return found;
  }

  /** The run of a gap, cut there, with others in between. */
  private List<Run<C>> around(RunCursor<C> gap, List<Run<C>> between) {
    Run<C> run = gap.run();
    List<Run<C>> runs = new ArrayList<>(between.size() + 2);
    runs.add(run.part(content, 0, gap.offset()));
    runs.addAll(between);
    runs.add(run.part(content, gap.offset(), run.size()));
    return runs;
  }

  private List<Run<C>> pieces(Dots ids, C elements) {
    return new Visible<>(ids, elements).pieces(content);
  }

  /**
   * These elements after the deletion of some. Those that are not here, or were deleted before,
   * don't matter.
   *
   * @param by the transaction that deletes, as a dot with index 0
   */
  Elements<C> delete(Dots ids, Dot by) {
    Burial<C> burial = new Burial<>(content, tree, by);
    burial.bury(ids);
    return with(burial.tree());
  }

  /**
   * These elements without the tombstones that no transaction can come across any more. Takes time
   * in proportion to all elements, so if there are many, in pages, they are left as they are until
   * half of them are tombstones.
   */
  Elements<C> withoutStableTombstones(VectorClock frontier) {
    int tombstones = tree.size() - tree.visibleSize();
    boolean isWorthIt = tombstones >= tree.visibleSize() || tree.size() <= FEW || !tree.isInPages();
    if (tombstones == 0 || !isWorthIt) {
      return this;
    }
    List<Run<C>> runs = tree.runs();
    List<Run<C>> rest = StableTombstones.removed(content, runs, frontier);
    return rest.equals(runs) ? this : with(RunTree.joining(content, rest));
  }
}
