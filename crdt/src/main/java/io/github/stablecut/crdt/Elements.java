package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Run.Visible;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list or text, tombstones included, in order. Immutable.
 *
 * <p>Each element was inserted after another, its reference, or before one, or at the beginning. So
 * the elements are a tree: each is a child of its reference, to its right or to its left. Of
 * several children on one side the younger ones are nearer to the reference. The whole is read from
 * left to right: what is to the left of an element, the element, what is to its right (a tree with
 * two sides as that of Fugue: Weidner and Kleppmann 2023).
 *
 * <p>The reference is the younger one of the two visible neighbours of the place. So it is what the
 * same writer has inserted last, if that is there, whether he writes forward or backward, and what
 * he writes is one subtree, which nobody else's is inside of.
 *
 * <p>References are not kept, for the sequence of dots tells them: <em>the reference of an element
 * is the nearest one with a smaller dot, to its left if it was inserted after it, to its right if
 * before it</em>. What stands between the two are siblings with greater dots and what was inserted
 * below them, which is younger still. Taking out tombstones leaves that so, as long as no reference
 * of an unstable element is among them ({@link StableTombstones}).
 */
final class Elements<C> {
  /** So many of so many bytes are looked at whenever they are pruned, even if they are in pages. */
  private static final int FEW = 5_000;

  private static final int FEW_BYTES = 256 << 10;

  /** To forget one tombstone in pages, at most so many bytes of visible elements are read. */
  private static final int BYTES_PER_TOMBSTONE = 1 << 10;

  /** Of elements in pages no more are read at once, in pieces that take some dozen bytes each. */
  private static final long MOST_READ = Runtime.getRuntime().maxMemory() / 64;

  private static final long MOST_BYTES_READ = Runtime.getRuntime().maxMemory() / 16;

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

  /** What elements are inserted beside that are inserted at a position. */
  Reference referenceAt(int position) {
    if (visibleSize() == 0) {
      return Reference.BEGINNING;
    }
    if (position == 0) {
      return Reference.before(idAt(0));
    }
    RunCursor<C> left = tree.beforeVisible(position - 1);
    if (left.offset() + 1 < left.run().size()) {
      // Within a run the right neighbour is the younger one.
      return Reference.before(left.run().ids().get(left.offset() + 1));
    }
    if (position == visibleSize()) {
      return Reference.after(left.dot());
    }
    Run<C> next = left.nextVisibleInLeaf();
    Dot right = next == null ? idAt(position) : next.ids().first();
    return left.dot().compareTo(right) > 0 ? Reference.after(left.dot()) : Reference.before(right);
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

  /** The dots of the first visible elements, of as many as there is room for. */
  List<Dots> firstIds(ResetBudget room) {
    List<Dots> parts = new ArrayList<>();
    int size = visibleSize();
    RunCursor<C> cursor = size > 0 ? tree.beforeVisible(0) : tree.start();
    for (int position = 0; position < size; ) {
      int visible = cursor.run().visibleSize();
      if (visible > 0) {
        Dots ids = cursor.run().ids();
        if (!room.take(ResetBudget.OVERHEAD + ResetBudget.bytes(ids.spanCount()))) {
          break;
        }
        parts.add(ids);
        position += visible;
      }
      if (position < size && !cursor.moveToNextRun()) {
        throw new IndexOutOfBoundsException(position + " of " + size);
      }
    }
    return Dots.joined(parts);
  }

  /**
   * These elements and new ones. Where they can't be new, because an element has one of their dots,
   * nothing changes; where their reference is unknown they go to the beginning.
   *
   * @param ids their dots, which follow each other in one transaction
   */
  Elements<C> insert(Reference reference, Dots ids, C elements) {
    RunCursor<C> before = tree.floor(ids.last());
    if (before != null) {
      if (before.dot().compareTo(ids.first()) >= 0) {
        return this;
      }
      before.moveInRun(1);
      if (before.offset() < before.run().size()) { // runs must not interleave
        return with(tree.replace(before, 1, around(before, List.of()), 0))
            .insert(reference, ids, elements);
      }
    }
    RunCursor<C> gap = beside(reference, before);
    if (!reference.isBefore()) {
      gap.moveBelow(ids.first());
    }
    gap.moveBetween(ids.first());
    Run<C> inserted = new Visible<>(ids, elements, reference.isBefore());
    long bytes = inserted.visibleBytes();
    if (gap.offset() == 0) {
      return with(tree.replace(gap, 0, inserted.pieces(content), bytes));
    }
    if (gap.offset() < gap.run().size()) {
      return with(tree.replace(gap, 1, around(gap, inserted.pieces(content)), bytes));
    }
    Run<C> left = gap.run();
    boolean nothingBetween = before != null && before.run() == left;
    if (nothingBetween && left.precedes(inserted) && left.fitsWith(inserted, gap.leaf().bytes)) {
      return with(tree.replace(gap, 1, List.of(left.joined(content, inserted)), bytes));
    }
    gap.moveAfterRun();
    return with(tree.replace(gap, 0, inserted.pieces(content), bytes));
  }

  private Elements<C> with(RunTree<C> changed) {
    return changed == tree ? this : new Elements<>(content, changed);
  }

  /**
   * The gap beside a reference.
   *
   * @param near a gap that is probably the one
   */
  private RunCursor<C> beside(Reference reference, @Nullable RunCursor<C> near) {
    if (reference.element().isEmpty()) {
      return tree.start();
    }
    Dot dot = reference.element().get();
    if (!reference.isBefore() && near != null && near.run().ids().last().equals(dot)) {
      return near;
    }
    RunCursor<C> found = tree.floor(dot);
    if (found == null || !found.dot().equals(dot)) {
      return tree.start();
    }
    if (!reference.isBefore()) {
      found.moveInRun(1);
    }
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

  /**
   * These elements after the deletion of some. Those that are not here, or were deleted before,
   * don't matter.
   *
   * @param by the transaction that deletes, as a dot with index 0
   */
  Elements<C> delete(Dots ids, Dot by) {
    ElementDeletion<C> burial = new ElementDeletion<>(content, tree, by);
    burial.bury(ids);
    return with(burial.tree());
  }

  /**
   * These elements without the tombstones that no transaction can come across any more. Takes time
   * in proportion to all elements and their bytes, so if these are many, in pages, they are left as
   * they are until they are few beside the tombstones; and for good if they would fill the heap.
   */
  Elements<C> withoutStableTombstones(VectorClock frontier) {
    int tombstones = tree.size() - tree.visibleSize();
    if (tombstones == 0 || (tree.isInPages() && !isWorthReading(tombstones))) {
      return this;
    }
    List<Run<C>> runs = tree.runs();
    List<Run<C>> rest = StableTombstones.removed(content, runs, frontier);
    return rest.equals(runs) ? this : with(RunTree.joining(content, rest));
  }

  /** Whether pruning leaves these as they are, whatever the frontier, once they are in pages. */
  boolean areSettled() {
    int tombstones = tree.size() - tree.visibleSize();
    return tombstones == 0 || !isWorthReading(tombstones);
  }

  private boolean isWorthReading(int tombstones) {
    return (tree.size() <= FEW && tree.visibleBytes() <= FEW_BYTES)
        || (tombstones >= tree.visibleSize()
            && tree.visibleBytes() <= (long) tombstones * BYTES_PER_TOMBSTONE
            && tree.size() <= MOST_READ
            && tree.visibleBytes() <= MOST_BYTES_READ);
  }
}
