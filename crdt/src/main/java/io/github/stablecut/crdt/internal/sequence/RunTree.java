package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.internal.sequence.RunNode.Inner;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of runs with logarithmic search by position and by dot. Changed copies share all nodes
 * but one path. Immutable.
 *
 * <p>It is a B+ tree with path copying, whose nodes count their visible elements for the search by
 * position. For the search by dot, {@link RunStarts} has the number of the run's leaf, and {@link
 * #parents} the numbers of the nodes above it, which lead from the root down to the leaf. Nodes
 * shared by several trees can't have parent pointers, but the parent relation changes only when a
 * node splits.
 *
 * <p>Most edits are next to the previous one. So the last changed leaf is kept apart as the {@link
 * OpenLeaf open leaf}, and the nodes above it are copied only when another leaf changes.
 *
 * <p>Elements are never removed, so nodes are never merged; pruning builds a new tree.
 *
 * <p>Invariant: runs don't interleave. No dot of another run of the same data centre is between the
 * first and the last dot of a run.
 */
public final class RunTree<C> {
  /** The number of runs or children of a node after a split into several. */
  private static final int TYPICAL = RunNode.MAX * 3 / 4;

  /** An upper bound of the depth: nodes are at least half full after a split. */
  private static final int MAX_DEPTH = 10;

  private static final int MIN_PARENT_BYTES = 2;

  /** The maximum number of visible elements of a leaf with several runs. */
  private static final int MAX_VISIBLE = 4 * Run.MAX_ELEMENTS;

  /** The maximum total bytes of the visible elements of a leaf with several runs. */
  private static final int MAX_BYTES = 4 * Run.MAX_BYTES;

  private final RunNode<C> root;
  private final RunStarts starts;

  /** The number of each node's parent, by the node's number. */
  private final PersistentMap<Integer, Integer> parents;

  /** The number of node numbers assigned so far. */
  private final int numbers;

  private final boolean isInPages;

  /** The last changed leaf; null if {@link #root} and {@link #starts} are up to date. */
  private final @Nullable OpenLeaf<C> open;

  private RunTree(
      RunNode<C> root,
      RunStarts starts,
      PersistentMap<Integer, Integer> parents,
      int numbers,
      boolean isInPages) {
    this.root = root;
    this.starts = starts;
    this.parents = parents;
    this.numbers = numbers;
    this.isInPages = isInPages;
    this.open = null;
  }

  private RunTree(RunTree<C> tree, OpenLeaf<C> open) {
    this.root = tree.root;
    this.starts = tree.starts;
    this.parents = tree.parents;
    this.numbers = tree.numbers;
    this.isInPages = tree.isInPages;
    this.open = open;
  }

  /** Reads a tree whose nodes are in pages; the nodes are read on demand. */
  public static <C> RunTree<C> readInPages(RunPages<C> pages, Decoder in) {
    int numbers = in.readIndex();
    RunNode<C> root = pages.readReference(in);
    RunStarts starts = RunStarts.read(in);
    PersistentMap<Integer, Integer> parents =
        PersistentMap.read(in, MIN_PARENT_BYTES, Decoder::readIndex, Decoder::readIndex);
    return new RunTree<>(root, starts, parents, numbers, true);
  }

  /** Writes the tree for {@link #readInPages}, and its changed pages. */
  public void writeInPages(RunsCodec<C> runs, PageWriter pages, Encoder out) {
    if (open != null) {
      closed(open).writeInPages(runs, pages, out);
      return;
    }
    out.writeUnsigned(numbers);
    RunPages.writeReference(root, runs, pages, out);
    starts.write(out);
    parents.write(
        out, (number, to) -> to.writeUnsigned(number), (parent, to) -> to.writeUnsigned(parent));
  }

  /** Whether nodes may be in pages, so that a full traversal may take long. */
  boolean isInPages() {
    return isInPages;
  }

  /** The number of elements, including tombstones. */
  public int size() {
    return root.size + (open == null ? 0 : open.leaf().size - open.before().size);
  }

  /** Builds a tree of runs. */
  public static <C> RunTree<C> of(List<Run<C>> runs) {
    RunNode<C> root = Leaf.of(0, 0, List.of());
    RunTree<C> empty = new RunTree<>(root, RunStarts.EMPTY, PersistentMap.empty(), 1, false);
    long bytes = runs.stream().mapToLong(Run::visibleBytes).sum();
    return runs.isEmpty() ? empty : empty.replace(RunCursor.atStart(root, null), 0, runs, bytes);
  }

  /** Builds a tree of runs, joining neighbours where possible. */
  public static <C> RunTree<C> joining(Content<C> content, List<Run<C>> runs) {
    RunOrder order = new RunOrder(runs.stream().map(Run::ids).toList());
    List<Run<C>> joined = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      Run<C> run = runs.get(i);
      int end = joined.size() - 1;
      if (order.followsLeft(i) && joined.get(end).precedes(run) && joined.get(end).fitsWith(run)) {
        joined.set(end, joined.get(end).joined(content, run));
      } else {
        joined.add(run);
      }
    }
    return of(joined);
  }

  /** The number of visible elements. */
  public int visibleSize() {
    return root.visible + (open == null ? 0 : open.addedVisible());
  }

  /** A lower bound of the visible elements' total bytes ({@link RunNode#bytes}). */
  public long visibleBytes() {
    return root.bytes + (open == null ? 0 : open.leaf().bytes - open.before().bytes);
  }

  /** The gap before the first element. */
  RunCursor<C> start() {
    return RunCursor.atStart(root.loaded(), open);
  }

  /** The gap before the visible element with {@code position} others before it. */
  RunCursor<C> beforeVisible(int position) {
    return RunCursor.beforeVisible(root.loaded(), open, position);
  }

  /** The length of the visible elements in units ({@link Run#visibleUnits}). */
  public int visibleUnits() {
    return root.units + (open == null ? 0 : open.addedUnits());
  }

  /**
   * A visible run and its position.
   *
   * @param elementsBefore the number of visible elements before the run
   * @param unitsBefore the number of units before the run
   */
  public record RunPosition<C>(Run<C> run, int elementsBefore, int unitsBefore) {}

  /** The run with the visible element at a position, which must exist. */
  public RunPosition<C> runOfElement(int position) {
    return runOf(position, false);
  }

  /** The run with the unit at an index, which must exist. */
  public RunPosition<C> runOfUnit(int index) {
    return runOf(index, true);
  }

  private RunPosition<C> runOf(int target, boolean isInUnits) {
    int before = open == null ? Integer.MAX_VALUE : open.before(isInUnits);
    if (open == null || target < before) {
      return runBelow(root.loaded(), target, isInUnits, 0, 0);
    }
    if (target - before < open.size(isInUnits)) {
      return runBelow(
          open.leaf(), target - before, isInUnits, open.elementsBefore(), open.unitsBefore());
    }
    return runBelow(
        root.loaded(),
        target - open.added(isInUnits),
        isInUnits,
        open.addedVisible(),
        open.addedUnits());
  }

  /**
   * @param target the position by the counts of {@code from} and the nodes below
   * @param elementsBefore the number of elements that these counts exclude
   * @param unitsBefore the number of units that these counts exclude
   */
  private static <C> RunPosition<C> runBelow(
      RunNode<C> from, int target, boolean isInUnits, int elementsBefore, int unitsBefore) {
    int rest = target;
    int elements = elementsBefore;
    int units = unitsBefore;
    RunNode<C> node = from;
    while (true) {
      int[] elementEnds = node.elementEnds();
      int[] unitEnds = node.unitEnds();
      int[] ends = isInUnits ? unitEnds : elementEnds;
      int slot = Ends.slotOf(ends, rest);
      rest -= Ends.before(ends, slot);
      elements += Ends.before(elementEnds, slot);
      units += Ends.before(unitEnds, slot);
      if (node instanceof Leaf<C> leaf) {
        return new RunPosition<>(leaf.runs[slot], elements, units);
      }
      node = ((Inner<C>) node).child(slot);
    }
  }

  /**
   * The gap before the element with the greatest dot at or below a dot, in the same data centre;
   * null if there is none.
   */
  @Nullable RunCursor<C> floor(Dot dot) {
    RunCursor<C> cursor = beforeRunAtOrBelow(dot);
    if (cursor != null) {
      cursor.moveInRun(cursor.run().ids().floor(dot));
    }
    return cursor;
  }

  /**
   * The beginning of the run with the greatest first dot at or below a dot; null if there is none.
   */
  private @Nullable RunCursor<C> beforeRunAtOrBelow(Dot dot) {
    int slot = open == null ? -1 : open.floor(dot);
    Dot inOpen = open == null || slot < 0 ? null : open.leaf().runs[slot].ids().first();
    if (open != null && inOpen != null && open.leaf().runs[slot].ids().last().compareTo(dot) >= 0) {
      return RunCursor.beforeRun(open, slot);
    }
    Map.Entry<Dot, Integer> indexed = starts.floor(dot);
    if (indexed != null
        && !isOpen(indexed.getValue())
        && (inOpen == null || inOpen.compareTo(indexed.getKey()) < 0)) {
      return RunCursor.beforeRun(root.loaded(), open, indexed.getKey(), pathTo(indexed.getValue()));
    }
    return open == null || inOpen == null ? null : RunCursor.beforeRun(open, slot);
  }

  /**
   * Whether a leaf is the open one, whose entries in {@link #starts} are outdated. But where they
   * name it, no other leaf has a run in between.
   */
  private boolean isOpen(Integer leaf) {
    return open != null && open.is(leaf);
  }

  /** The numbers of the nodes from a leaf up to the root, exclusive. */
  private int[] pathTo(Integer leaf) {
    int[] path = new int[MAX_DEPTH];
    int length = 0;
    Integer node = leaf;
    for (Integer up = parents.get(node); up != null; up = parents.get(node)) {
      path[length++] = node;
      node = up;
    }
    return Arrays.copyOf(path, length);
  }

  /** The least first dot of a run above a dot, in the same data centre; null if there is none. */
  @Nullable Dot startAbove(Dot dot) {
    Map.Entry<Dot, Integer> indexed = starts.higher(dot);
    while (indexed != null && isOpen(indexed.getValue())) {
      indexed = starts.higher(indexed.getKey());
    }
    Dot inOpen = open == null ? null : open.startAbove(dot);
    return indexed == null || (inOpen != null && inOpen.compareTo(indexed.getKey()) < 0)
        ? inOpen
        : indexed.getKey();
  }

  /**
   * Whether no other run of the same data centre begins between two runs.
   *
   * @param later the run with the greater first dot
   */
  boolean areNeighbours(Run<C> run, Run<C> later) {
    Dot from = run.ids().first();
    Dot to = later.ids().first();
    if (open != null) {
      Dot next = open.startAbove(from);
      if (next != null && next.compareTo(to) < 0) {
        return false;
      }
    }
    Map.Entry<Dot, Integer> indexed = starts.lower(to);
    return indexed == null || isOpen(indexed.getValue()) || indexed.getKey().compareTo(from) <= 0;
  }

  void forEach(Consumer<Run<C>> visitor) {
    if (root.least != null) {
      RunCursor<C> cursor = start();
      do {
        visitor.accept(cursor.run());
      } while (cursor.moveToNextRun());
    }
  }

  public List<Run<C>> runs() {
    List<Run<C>> runs = new ArrayList<>();
    forEach(runs::add);
    return runs;
  }

  /**
   * Replaces runs with runs that have at least the same elements.
   *
   * @param at the first run to replace, or the gap to insert into
   * @param removed the number of runs to replace in the cursor's leaf
   * @param addedBytes the growth of the visible elements' total bytes ({@link Run#visibleBytes})
   */
  RunTree<C> replace(RunCursor<C> at, int removed, List<Run<C>> added, long addedBytes) {
    if (open != null && at.leaf() != open.leaf()) {
      RunTree<C> closed = closed(open);
      return closed.replace(at.in(closed.root), removed, added, addedBytes);
    }
    Leaf<C> leaf = at.leaf().with(at.slot(), removed, added, addedBytes);
    RunPath<C> path = at.path();
    if (open == null) {
      root.copied();
      if (path != null) {
        path.copied();
      }
    }
    Leaf<C> before = open == null ? at.leaf() : open.before();
    if (isTooLarge(leaf)) {
      return new Growth<>(this, starts.with(before, leaf)).grow(path, leaf);
    }
    if (path == null) {
      return new RunTree<>(leaf, starts.with(before, leaf), parents, numbers, isInPages);
    }
    OpenLeaf<C> changed = open == null ? OpenLeaf.of(path, before, leaf) : open.with(leaf);
    return changed.hasSameLeastDot() ? new RunTree<>(this, changed) : closed(changed);
  }

  private RunTree<C> closed(OpenLeaf<C> changed) {
    return new RunTree<>(
        changed.path().rootWith(changed.leaf()),
        starts.with(changed.before(), changed.leaf()),
        parents,
        numbers,
        isInPages);
  }

  /** Whether a leaf must be split: each change copies a leaf, and a checkpoint writes it. */
  private static boolean isTooLarge(Leaf<?> leaf) {
    return leaf.runs.length > RunNode.MAX
        || ((leaf.visible > MAX_VISIBLE || leaf.bytes > MAX_BYTES) && leaf.runs.length > 1);
  }

  /** Splits nodes that have become too large. Confined to one call. */
  private static final class Growth<C> {
    private RunStarts starts;
    private PersistentMap<Integer, Integer> parents;
    private int numbers;
    private final boolean isInPages;

    Growth(RunTree<C> tree, RunStarts starts) {
      this.starts = starts;
      this.isInPages = tree.isInPages;
      this.parents = tree.parents;
      this.numbers = tree.numbers;
    }

    /**
     * Builds the tree with a changed leaf, which may be too large.
     *
     * @param path the path from the leaf to the root; null if the leaf is the root
     */
    RunTree<C> grow(@Nullable RunPath<C> path, Leaf<C> leaf) {
      List<? extends RunNode<C>> nodes = leaves(leaf);
      for (RunPath<C> up = path; up != null; up = up.above()) {
        Inner<C> inner = up.node();
        nodes = inners(inner.number, inner.page, inner.childrenWith(up.child(), nodes));
      }
      while (nodes.size() > 1) {
        nodes = inners(numbers++, 0, List.copyOf(nodes));
      }
      return new RunTree<>(nodes.get(0), starts, parents, numbers, isInPages);
    }

    private List<Leaf<C>> leaves(Leaf<C> leaf) {
      List<Leaf<C>> leaves = new ArrayList<>();
      for (List<Run<C>> group : groups(leaf)) {
        Leaf<C> next =
            leaves.isEmpty()
                ? Leaf.of(leaf.number, leaf.page, group)
                : Leaf.of(numbers++, 0, group);
        if (!leaves.isEmpty()) {
          for (Run<C> run : group) {
            starts = starts.with(run.ids().first(), next.number);
          }
        }
        leaves.add(next);
      }
      return leaves;
    }

    /** Splits a leaf's runs evenly by number, then further by bytes. */
    private static <C> List<List<Run<C>>> groups(Leaf<C> leaf) {
      int groupCount =
          Math.max(
              groupCountOf(leaf.runs.length),
              Math.min(leaf.runs.length, (leaf.visible + MAX_VISIBLE - 1) / MAX_VISIBLE + 1));
      List<List<Run<C>>> groups = new ArrayList<>();
      for (List<Run<C>> group : groups(Arrays.asList(leaf.runs), groupCount)) {
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < group.size(); i++) {
          long next = group.get(i).visibleBytes();
          if (i > from && bytes + next > MAX_BYTES) {
            groups.add(group.subList(from, i));
            from = i;
            bytes = 0;
          }
          bytes += next;
        }
        groups.add(group.subList(from, group.size()));
      }
      return groups;
    }

    /**
     * Builds the parents of children.
     *
     * @param number the number of the first parent; the others get new numbers
     * @param page the page of the first parent; the others have none
     */
    private List<Inner<C>> inners(Integer number, int page, List<RunNode<C>> children) {
      List<Inner<C>> inners = new ArrayList<>();
      for (List<RunNode<C>> group : groups(children, groupCountOf(children.size()))) {
        Inner<C> next =
            inners.isEmpty() ? Inner.of(number, page, group) : Inner.of(numbers++, 0, group);
        for (RunNode<C> child : group) {
          if (!next.number.equals(parents.get(child.number))) {
            parents = parents.with(child.number, next.number);
          }
        }
        inners.add(next);
      }
      return inners;
    }

    private static int groupCountOf(int slots) {
      return slots <= RunNode.MAX ? 1 : (slots + TYPICAL - 1) / TYPICAL;
    }

    private static <T> List<List<T>> groups(List<T> all, int count) {
      List<List<T>> groups = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        int from = (int) ((long) all.size() * i / count);
        int to = (int) ((long) all.size() * (i + 1) / count);
        groups.add(all.subList(from, to));
      }
      return groups;
    }
  }
}
