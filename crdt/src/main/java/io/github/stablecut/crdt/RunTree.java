package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.RunNode.Inner;
import io.github.stablecut.crdt.RunNode.Leaf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of runs in which places are found by position and by dot in logarithmic time, and
 * whose changed copies share all but a path with it. Immutable.
 *
 * <p>It is a B+ tree with copied paths whose nodes count their visible elements: that finds
 * positions. A dot is found by {@link RunStarts}, which names the leaf of its run, and by the names
 * of the nodes above that, up to the root and down again. Nodes that are shared by several trees
 * can't point up themselves; but who is above whom changes only when a node splits.
 *
 * <p>Edits are mostly beside the last one. So the leaf that was changed last is {@link OpenLeaf
 * kept apart}, and what is above it is copied when another leaf is changed.
 *
 * <p>Elements are never taken out, so nodes are never joined; pruning makes a new tree.
 *
 * <p>Invariant: runs don't interleave. Between the first and the last dot of a run there is none of
 * another run of the same data centre.
 */
final class RunTree<C> {
  /** How many runs or children nodes have after a split into many. */
  private static final int TYPICAL = RunNode.MAX * 3 / 4;

  /** Trees are less deep: nodes are half full when they come from a split. */
  private static final int MAX_DEPTH = 10;

  private static final int MIN_PARENT_BYTES = 2;

  /** The most visible elements of a leaf with several runs. */
  private static final int MAX_VISIBLE = 4 * Run.MAX_ELEMENTS;

  /** The most bytes that the visible elements of a leaf with several runs have. */
  private static final int MAX_BYTES = 4 * Run.MAX_BYTES;

  private final RunNode<C> root;
  private final RunStarts starts;

  /** The number of the node above each, by its number. */
  private final PersistentMap<Integer, Integer> parents;

  /** How many numbers have been given to nodes. */
  private final int numbers;

  private final boolean isInPages;

  /** The leaf that was changed last; null if root and starts are up to date. */
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

  /** Reads a tree whose nodes are in pages, and are read when they are needed. */
  static <C> RunTree<C> readInPages(RunPages<C> pages, Decoder in) {
    int numbers = in.readIndex();
    RunNode<C> root = pages.readReference(in);
    RunStarts starts = RunStarts.read(in);
    PersistentMap<Integer, Integer> parents =
        PersistentMap.read(in, MIN_PARENT_BYTES, Decoder::readIndex, Decoder::readIndex);
    return new RunTree<>(root, starts, parents, numbers, true);
  }

  /** Writes what {@link #readInPages} reads, and the pages that have changed. */
  void writeInPages(RunsCodec<C> runs, PageWriter pages, Encoder out) {
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

  /** Whether nodes are in pages, so that visiting all of them may take long. */
  boolean isInPages() {
    return isInPages;
  }

  /** How many elements there are, tombstones included. */
  int size() {
    return root.size + (open == null ? 0 : open.leaf().size - open.before().size);
  }

  /** The tree of some runs. */
  static <C> RunTree<C> of(List<Run<C>> runs) {
    RunNode<C> root = Leaf.of(0, 0, List.of());
    RunTree<C> empty = new RunTree<>(root, RunStarts.EMPTY, PersistentMap.empty(), 1, false);
    long bytes = runs.stream().mapToLong(Run::visibleBytes).sum();
    return runs.isEmpty() ? empty : empty.replace(RunCursor.atStart(root, null), 0, runs, bytes);
  }

  /** The tree of some runs, those side by side joined that can be one. */
  static <C> RunTree<C> joining(Content<C> content, List<Run<C>> runs) {
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

  /** How many elements a reader sees. */
  int visibleSize() {
    return root.visible + (open == null ? 0 : open.addedVisible());
  }

  /** How many bytes these have, at least ({@link RunNode#bytes}). */
  long visibleBytes() {
    return root.bytes + (open == null ? 0 : open.leaf().bytes - open.before().bytes);
  }

  /** The gap before everything. */
  RunCursor<C> start() {
    return RunCursor.atStart(root.loaded(), open);
  }

  /** The gap before the visible element with {@code position} others before it. */
  RunCursor<C> beforeVisible(int position) {
    return RunCursor.beforeVisible(root.loaded(), open, position);
  }

  /** How many places the visible elements take in a Java sequence. */
  int visibleUnits() {
    return root.units + (open == null ? 0 : open.addedUnits());
  }

  /**
   * A run that a reader sees, and where it begins.
   *
   * @param elementsBefore how many visible elements are before it
   * @param unitsBefore how many places of a Java sequence these take
   */
  record Found<C>(Run<C> run, int elementsBefore, int unitsBefore) {}

  /** The run that holds a visible element, which is there. */
  Found<C> runOfElement(int position) {
    return runOf(position, false);
  }

  /** The run that holds a place of a Java sequence, which is there. */
  Found<C> runOfUnit(int index) {
    return runOf(index, true);
  }

  private Found<C> runOf(int place, boolean isInUnits) {
    int before = open == null ? Integer.MAX_VALUE : open.before(isInUnits);
    if (open == null || place < before) {
      return runBelow(root.loaded(), place, isInUnits, 0, 0);
    }
    if (place - before < open.size(isInUnits)) {
      return runBelow(
          open.leaf(), place - before, isInUnits, open.elementsBefore(), open.unitsBefore());
    }
    return runBelow(
        root.loaded(),
        place - open.added(isInUnits),
        isInUnits,
        open.addedVisible(),
        open.addedUnits());
  }

  /**
   * @param place as the nodes from one on count
   * @param elementsBefore how many elements are before what these count
   * @param unitsBefore likewise
   */
  private static <C> Found<C> runBelow(
      RunNode<C> from, int place, boolean isInUnits, int elementsBefore, int unitsBefore) {
    int rest = place;
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
        return new Found<>(leaf.runs[slot], elements, units);
      }
      node = ((Inner<C>) node).child(slot);
    }
  }

  /**
   * The gap before the element with the greatest dot at or below one, of the same data centre; null
   * if there is none.
   */
  @Nullable RunCursor<C> floor(Dot dot) {
    RunCursor<C> cursor = beforeRunAtOrBelow(dot);
    if (cursor != null) {
      cursor.moveInRun(cursor.run().ids().floor(dot));
    }
    return cursor;
  }

  /**
   * The beginning of the run with the greatest first dot at or below one; null if there is none.
   */
  private @Nullable RunCursor<C> beforeRunAtOrBelow(Dot dot) {
    int slot = open == null ? -1 : open.floor(dot);
    Dot inOpen = open == null || slot < 0 ? null : open.leaf().runs[slot].ids().first();
    if (open != null && inOpen != null && open.leaf().runs[slot].ids().last().compareTo(dot) >= 0) {
      return RunCursor.beforeRun(open, slot);
    }
    Map.Entry<Dot, Integer> known = starts.floor(dot);
    if (known != null
        && !isOpen(known.getValue())
        && (inOpen == null || inOpen.compareTo(known.getKey()) < 0)) {
      return RunCursor.beforeRun(root.loaded(), open, known.getKey(), wayTo(known.getValue()));
    }
    return open == null || inOpen == null ? null : RunCursor.beforeRun(open, slot);
  }

  /**
   * Whether a leaf is the one that was changed last, so that the starts don't say what is in it.
   * But they say what is not: where they name it, no other leaf has anything in between.
   */
  private boolean isOpen(Integer leaf) {
    return open != null && open.is(leaf);
  }

  /** The numbers of the nodes from a leaf up to below the root. */
  private int[] wayTo(Integer leaf) {
    int[] way = new int[MAX_DEPTH];
    int length = 0;
    Integer node = leaf;
    for (Integer up = parents.get(node); up != null; up = parents.get(node)) {
      way[length++] = node;
      node = up;
    }
    return Arrays.copyOf(way, length);
  }

  /** The least first dot of a run above one, of the same data centre; null if there is none. */
  @Nullable Dot startAbove(Dot dot) {
    Map.Entry<Dot, Integer> known = starts.higher(dot);
    while (known != null && isOpen(known.getValue())) {
      known = starts.higher(known.getKey());
    }
    Dot inOpen = open == null ? null : open.startAbove(dot);
    return known == null || (inOpen != null && inOpen.compareTo(known.getKey()) < 0)
        ? inOpen
        : known.getKey();
  }

  /** Whether no run of their data centre begins between the beginnings of two, the later second. */
  boolean areNeighbours(Run<C> run, Run<C> later) {
    Dot from = run.ids().first();
    Dot to = later.ids().first();
    if (open != null) {
      Dot next = open.startAbove(from);
      if (next != null && next.compareTo(to) < 0) {
        return false;
      }
    }
    Map.Entry<Dot, Integer> known = starts.lower(to);
    return known == null || isOpen(known.getValue()) || known.getKey().compareTo(from) <= 0;
  }

  void forEach(Consumer<Run<C>> visitor) {
    if (root.least != null) {
      RunCursor<C> cursor = start();
      do {
        visitor.accept(cursor.run());
      } while (cursor.moveToNextRun());
    }
  }

  List<Run<C>> runs() {
    List<Run<C>> runs = new ArrayList<>();
    forEach(runs::add);
    return runs;
  }

  /**
   * This tree with runs in the place of others, which hold the elements of those and maybe more.
   *
   * @param at the first run to be replaced, or where to insert
   * @param removed how many runs of the cursor's leaf are replaced
   * @param addedBytes by how many the bytes of visible elements grow ({@link Run#visibleBytes})
   */
  RunTree<C> replace(RunCursor<C> at, int removed, List<Run<C>> added, long addedBytes) {
    if (open != null && at.leaf() != open.leaf()) {
      RunTree<C> closed = closed(open);
      return closed.replace(at.in(closed.root), removed, added, addedBytes);
    }
    Leaf<C> leaf = at.leaf().with(at.slot(), removed, added, addedBytes);
    RunPath<C> way = at.way();
    if (open == null) {
      root.copied();
      if (way != null) {
        way.copied();
      }
    }
    Leaf<C> before = open == null ? at.leaf() : open.before();
    if (isTooLarge(leaf)) {
      return new Growth<>(this, starts.with(before, leaf)).grown(way, leaf);
    }
    if (way == null) {
      return new RunTree<>(leaf, starts.with(before, leaf), parents, numbers, isInPages);
    }
    OpenLeaf<C> changed = open == null ? OpenLeaf.of(way, before, leaf) : open.with(leaf);
    return changed.beginsAsBefore() ? new RunTree<>(this, changed) : closed(changed);
  }

  private RunTree<C> closed(OpenLeaf<C> changed) {
    return new RunTree<>(
        changed.way().rootWith(changed.leaf()),
        starts.with(changed.before(), changed.leaf()),
        parents,
        numbers,
        isInPages);
  }

  /** Whether a leaf has to be split: a change copies one, and a checkpoint writes it. */
  private static boolean isTooLarge(Leaf<?> leaf) {
    return leaf.runs.length > RunNode.MAX
        || ((leaf.visible > MAX_VISIBLE || leaf.bytes > MAX_BYTES) && leaf.runs.length > 1);
  }

  /** The splitting of nodes that have become too large. Confined to one call. */
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
     * The tree with a leaf, which may be too large.
     *
     * @param way from there to the root; null if it is the root
     */
    RunTree<C> grown(@Nullable RunPath<C> way, Leaf<C> leaf) {
      List<? extends RunNode<C>> nodes = leaves(leaf);
      for (RunPath<C> up = way; up != null; up = up.above()) {
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

    /** As many runs in each, but for those that take many bytes. */
    private static <C> List<List<Run<C>>> groups(Leaf<C> leaf) {
      int parts =
          Math.max(
              partsOf(leaf.runs.length),
              Math.min(leaf.runs.length, (leaf.visible + MAX_VISIBLE - 1) / MAX_VISIBLE + 1));
      List<List<Run<C>>> groups = new ArrayList<>();
      for (List<Run<C>> group : groups(Arrays.asList(leaf.runs), parts)) {
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
     * Nodes above some children.
     *
     * @param number of the first node; the others get new ones
     * @param page likewise
     */
    private List<Inner<C>> inners(Integer number, int page, List<RunNode<C>> children) {
      List<Inner<C>> inners = new ArrayList<>();
      for (List<RunNode<C>> group : groups(children, partsOf(children.size()))) {
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

    private static int partsOf(int slots) {
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
