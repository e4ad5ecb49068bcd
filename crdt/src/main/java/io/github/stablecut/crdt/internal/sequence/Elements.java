package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.sequence.Run.Visible;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list or text, tombstones included, in order. Immutable.
 *
 * <p>Each element was inserted after or before another element, its reference, or at the beginning.
 * So the elements form a tree: each is a right or left child of its reference. Among siblings on
 * one side, younger ones are nearer to the reference. The list is the in-order traversal of this
 * tree: left children, the element, right children (a two-sided tree like Fugue's: Weidner and
 * Kleppmann 2023).
 *
 * <p>The reference is the younger of the two visible neighbours of the insertion position. So,
 * while a client writes forwards or backwards, its reference is the element that it inserted last.
 * Its text is one subtree, without interleaved elements of other clients.
 *
 * <p>References are not stored, because the sequence of dots determines them: <em>the reference of
 * an element is the nearest element with a smaller dot, to its left if the element was inserted
 * after it, to its right if before it</em>. Between the two are only siblings with greater dots and
 * their descendants, which are younger still. Removing tombstones preserves this property unless
 * one of them is the reference of an unstable element ({@link StableTombstones}).
 */
public final class Elements<C> {
  /** Up to this many elements of up to {@link #FEW_BYTES} are always pruned, even in pages. */
  private static final int FEW = 5_000;

  private static final int FEW_BYTES = 256 << 10;

  /** Pruning pages reads at most this many bytes of visible elements per tombstone. */
  private static final int BYTES_PER_TOMBSTONE = 1 << 10;

  /** The maximum number of elements in pages to read for pruning; each takes a few dozen bytes. */
  private static final long MAX_ELEMENTS_READ = Runtime.getRuntime().maxMemory() / 64;

  private static final long MAX_BYTES_READ = Runtime.getRuntime().maxMemory() / 16;

  private final Content<C> content;
  private final RunTree<C> tree;

  public Elements(Content<C> content, RunTree<C> tree) {
    this.content = content;
    this.tree = tree;
  }

  /** The number of elements that a reader sees. */
  public int visibleSize() {
    return tree.visibleSize();
  }

  /** The elements that a reader sees. */
  public C visible() {
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
   * All runs from left to right, each as long as possible: a canonical form. Two sequences of
   * elements are equal if and only if these runs are.
   */
  public List<Run<C>> longestRuns() {
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

  public RunTree<C> tree() {
    return tree;
  }

  /** The reference of elements that are inserted at a position. */
  public Reference referenceAt(int position) {
    if (visibleSize() == 0) {
      return Reference.BEGINNING;
    }
    if (position == 0) {
      return Reference.before(idAt(0));
    }
    RunCursor<C> left = tree.beforeVisible(position - 1);
    if (left.offset() + 1 < left.run().size()) {
      // Within a run, the right neighbour is the younger one.
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
  public Dot idAt(int position) {
    return tree.beforeVisible(position).dot();
  }

  /** The dots of the visible elements from one position (inclusive) to another (exclusive). */
  public List<Dots> idsAt(int from, int to) {
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

  /** The dots of as many visible elements from the beginning as the budget permits. */
  public List<Dots> firstIds(ResetBudget budget) {
    List<Dots> parts = new ArrayList<>();
    int size = visibleSize();
    RunCursor<C> cursor = size > 0 ? tree.beforeVisible(0) : tree.start();
    for (int position = 0; position < size; ) {
      int visible = cursor.run().visibleSize();
      if (visible > 0) {
        Dots ids = cursor.run().ids();
        if (!budget.tryTake(ResetBudget.OVERHEAD + ResetBudget.bytes(ids.spanCount()))) {
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
   * Inserts new elements. Changes nothing if an element already has one of their dots. Inserts at
   * the beginning if their reference is unknown.
   *
   * @param ids the dots of the new elements, consecutive in one transaction
   */
  public Elements<C> insert(Reference reference, Dots ids, C elements) {
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
   * The insertion gap next to a reference.
   *
   * @param near a gap that is probably the right one
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

  /** Splits the run of a gap at the gap and puts other runs in between. */
  private List<Run<C>> around(RunCursor<C> gap, List<Run<C>> between) {
    Run<C> run = gap.run();
    List<Run<C>> runs = new ArrayList<>(between.size() + 2);
    runs.add(run.part(content, 0, gap.offset()));
    runs.addAll(between);
    runs.add(run.part(content, gap.offset(), run.size()));
    return runs;
  }

  /**
   * Deletes elements. Ignores dots without an element and elements already deleted.
   *
   * @param by the deleting transaction, as a dot with index 0
   */
  public Elements<C> delete(Dots ids, Dot by) {
    ElementDeletion<C> deletion = new ElementDeletion<>(content, tree, by);
    deletion.delete(ids);
    return with(deletion.tree());
  }

  /**
   * Discards tombstones that no transaction can refer to from now on. The time is proportional to
   * all elements and their bytes. Elements in pages are pruned only once tombstones outnumber the
   * visible ones, and never if they could fill the heap.
   */
  public Elements<C> withoutStableTombstones(VectorClock frontier) {
    int tombstones = tree.size() - tree.visibleSize();
    if (tombstones == 0 || (tree.isInPages() && !isWorthReading(tombstones))) {
      return this;
    }
    List<Run<C>> runs = tree.runs();
    List<Run<C>> rest = StableTombstones.removed(content, runs, frontier);
    return rest.equals(runs) ? this : with(RunTree.joining(content, rest));
  }

  /**
   * Whether pruning leaves these elements unchanged once they are in pages, whatever the frontier.
   */
  public boolean areSettled() {
    int tombstones = tree.size() - tree.visibleSize();
    return tombstones == 0 || !isWorthReading(tombstones);
  }

  private boolean isWorthReading(int tombstones) {
    return (tree.size() <= FEW && tree.visibleBytes() <= FEW_BYTES)
        || (tombstones >= tree.visibleSize()
            && tree.visibleBytes() <= (long) tombstones * BYTES_PER_TOMBSTONE
            && tree.size() <= MAX_ELEMENTS_READ
            && tree.visibleBytes() <= MAX_BYTES_READ);
  }
}
