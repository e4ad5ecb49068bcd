package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.RunNode.Inner;
import io.github.stablecut.crdt.RunNode.Leaf;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A gap in a {@link RunTree}: before an element, or after the last. It can move. Confined to one
 * thread.
 *
 * <p>The gap between two runs has two names: the end of the one, where {@link #offset} is its size,
 * and the beginning of the other, where it is 0.
 */
final class RunCursor<C> {
  private final @Nullable OpenLeaf<C> open;

  /** From the leaf to the root; null if the leaf is the root. */
  private @Nullable RunPath<C> way;

  private Leaf<C> leaf;
  private int slot;
  private int offset;

  /** Which child leads to the place that is sought. */
  private interface Choice<C> {
    int childOf(Inner<C> inner);
  }

  private RunCursor(RunNode<C> root, @Nullable OpenLeaf<C> open, Choice<C> choice) {
    this.open = open;
    leaf = descend(root, null, choice);
  }

  private RunCursor(@Nullable OpenLeaf<C> open, @Nullable RunPath<C> way, Leaf<C> leaf) {
    this.open = open;
    this.way = way;
    this.leaf = leaf;
  }

  private RunCursor(RunCursor<C> other) {
    open = other.open;
    leaf = other.leaf;
    moveTo(other);
  }

  /**
   * @param above the way up from a node
   */
  private Leaf<C> descend(RunNode<C> from, @Nullable RunPath<C> above, Choice<C> choice) {
    RunNode<C> node = from;
    RunPath<C> up = above;
    while (node instanceof Inner<C> inner) {
      up = new RunPath<>(inner, choice.childOf(inner), up);
      node = up.below();
    }
    way = up;
    return latest((Leaf<C>) node);
  }

  /** A leaf that the node above it knows, as it is now. */
  private Leaf<C> latest(Leaf<C> known) {
    return open != null && open.is(known.number) ? open.leaf() : known;
  }

  /** The gap before everything. */
  static <C> RunCursor<C> atStart(RunNode<C> root, @Nullable OpenLeaf<C> open) {
    return new RunCursor<>(root, open, inner -> 0);
  }

  /**
   * The gap before a visible element.
   *
   * @param position how many visible elements are before it; less than there are
   */
  static <C> RunCursor<C> beforeVisible(RunNode<C> root, @Nullable OpenLeaf<C> open, int position) {
    if (open == null || position < open.elementsBefore()) {
      return beforeKnown(root, open, position);
    }
    int inOpen = position - open.elementsBefore();
    if (inOpen >= open.leaf().visible) {
      return beforeKnown(root, open, position - open.addedVisible());
    }
    RunCursor<C> cursor = new RunCursor<>(open, open.way(), open.leaf());
    cursor.moveInLeafTo(inOpen);
    return cursor;
  }

  /**
   * @param position as the nodes from the root on count
   */
  private static <C> RunCursor<C> beforeKnown(
      RunNode<C> root, @Nullable OpenLeaf<C> open, int position) {
    int[] rest = {position};
    RunCursor<C> cursor =
        new RunCursor<>(
            root,
            open,
            inner -> {
              int child = Ends.slotOf(inner.elementEnds(), rest[0]);
              rest[0] -= Ends.before(inner.elementEnds(), child);
              return child;
            });
    cursor.moveInLeafTo(rest[0]);
    return cursor;
  }

  private void moveInLeafTo(int position) {
    slot = Ends.slotOf(leaf.elementEnds(), position);
    offset = position - Ends.before(leaf.elementEnds(), slot);
  }

  /** The beginning of a run of the leaf that was changed last. */
  static <C> RunCursor<C> beforeRun(OpenLeaf<C> open, int slot) {
    RunCursor<C> cursor = new RunCursor<>(open, open.way(), open.leaf());
    cursor.slot = slot;
    return cursor;
  }

  /**
   * The beginning of a run.
   *
   * @param start the first dot of the run
   * @param numbers of the nodes on the way to its leaf, from the leaf up to below the root
   */
  static <C> RunCursor<C> beforeRun(
      RunNode<C> root, @Nullable OpenLeaf<C> open, Dot start, int[] numbers) {
    int[] level = {numbers.length};
    RunCursor<C> cursor =
        new RunCursor<>(
            root,
            open,
            inner -> {
              int number = numbers[--level[0]];
              int child = 0;
              while (inner.stored(child).number != number) {
                child++;
              }
              return child;
            });
    while (!cursor.run().ids().first().equals(start)) {
      cursor.slot++;
    }
    return cursor;
  }

  /**
   * The same gap in a tree with another root, where each node has as many children, and the leaf is
   * the same.
   */
  RunCursor<C> in(RunNode<C> root) {
    RunCursor<C> cursor = new RunCursor<>(null, way == null ? null : way.in(root), leaf);
    cursor.slot = slot;
    cursor.offset = offset;
    return cursor;
  }

  Run<C> run() {
    return leaf.runs[slot];
  }

  Leaf<C> leaf() {
    return leaf;
  }

  /** Which run of the leaf the gap is in; the number of its runs at the end of the leaf. */
  int slot() {
    return slot;
  }

  /** How many elements of the run are before the gap. */
  int offset() {
    return offset;
  }

  /** The way from the leaf to the root; null if the leaf is the root. */
  @Nullable RunPath<C> way() {
    return way;
  }

  /** The dot of the element after the gap, which is in the run. */
  Dot dot() {
    return run().ids().get(offset);
  }

  /** The run before this one; null if it is not in this leaf. */
  @Nullable Run<C> previousInLeaf() {
    return slot == 0 ? null : leaf.runs[slot - 1];
  }

  /** The run after this one; null if it is not in this leaf. */
  @Nullable Run<C> nextInLeaf() {
    return slot + 1 >= leaf.runs.length ? null : leaf.runs[slot + 1];
  }

  /** The next run that a reader sees; null if it is not in this leaf. */
  @Nullable Run<C> nextVisibleInLeaf() {
    for (int i = slot + 1; i < leaf.runs.length; i++) {
      if (leaf.runs[i].visibleSize() > 0) {
        return leaf.runs[i];
      }
    }
    return null;
  }

  /** Moves over some elements of the run. */
  void moveInRun(int elements) {
    offset += elements;
  }

  /** Moves to the beginning of the run before this one, in this leaf. */
  void moveToPrevious() {
    slot--;
    offset = 0;
  }

  /** Moves to after this run, in this leaf. */
  void moveAfterRun() {
    slot++;
    offset = 0;
  }

  /** Moves to the beginning of the next run; false if there is none. */
  boolean moveToNextRun() {
    moveAfterRun();
    return isInLeaf() || moveToNextLeaf(node -> true);
  }

  private boolean isInLeaf() {
    return slot < leaf.runs.length;
  }

  /** Moves over elements whose dots are above another, until one below it follows or none. */
  void moveBelow(Dot dot) {
    if (isFollowedBelow(dot)) {
      return;
    }
    moveAfterRun();
    moveInLeafBelow(dot);
    if (!isInLeaf()) {
      if (moveToNextLeaf(node -> node.beginsBelow(dot))) {
        moveInLeafBelow(dot);
      } else {
        moveToEnd();
      }
    }
  }

  /**
   * Moves to the left of what belongs to something on the right. The elements next to the gap that
   * are above a dot were inserted below one that is further to the left, or to the right: those on
   * the left come first, and the gap between them is where an element with the dot belongs.
   */
  void moveBetween(Dot dot) {
    Dot bound = dot;
    for (RunCursor<C> root = rootToTheLeft(bound); root != null; root = rootToTheLeft(bound)) {
      moveTo(root);
      bound = run().ids().first();
    }
  }

  /**
   * Among the runs to the left whose dots are above a bound, up to one whose are not, the first
   * that was inserted before the element that is to the right of all these; null if there is none.
   * Only those that begin below all to their right can be.
   */
  private @Nullable RunCursor<C> rootToTheLeft(Dot bound) {
    Run<C> left = offset > 0 ? run() : previousInLeaf();
    if (left != null && left.ids().first().compareTo(bound) < 0) {
      return null;
    }
    RunCursor<C> found = null;
    RunCursor<C> at = new RunCursor<>(this);
    Dot least = null;
    while (at.moveToPreviousBelow(least) && at.run().ids().first().compareTo(bound) > 0) {
      least = at.run().ids().first();
      if (at.run().isBefore()) {
        found = new RunCursor<>(at);
      }
    }
    return found;
  }

  /**
   * Moves to the beginning of the next run to the left that begins below a dot, if it isn't null.
   */
  private boolean moveToPreviousBelow(@Nullable Dot dot) {
    for (int i = offset > 0 ? slot : slot - 1; i >= 0; i--) {
      if (dot == null || leaf.runs[i].ids().first().compareTo(dot) < 0) {
        slot = i;
        offset = 0;
        return true;
      }
    }
    Predicate<RunNode<C>> condition = node -> dot == null || node.beginsBelow(dot);
    for (RunPath<C> up = way; up != null; up = up.above()) {
      int child = lastThat(condition, up.node(), up.child());
      if (child >= 0) {
        moveUnder(up, child, inner -> lastThat(condition, inner, inner.slots()));
        slot = leaf.runs.length;
        return moveToPreviousBelow(dot);
      }
    }
    return false;
  }

  /** Moves to the beginning of a leaf below another child of a node on the way. */
  private void moveUnder(RunPath<C> up, int child, Choice<C> choice) {
    RunPath<C> other = new RunPath<>(up.node(), child, up.above());
    leaf = descend(other.below(), other, choice);
    slot = 0;
    offset = 0;
  }

  private static <C> int lastThat(Predicate<RunNode<C>> condition, Inner<C> parent, int below) {
    int i = below - 1;
    while (i >= 0 && !condition.test(parent.stored(i))) {
      i--;
    }
    return i;
  }

  private void moveTo(RunCursor<C> other) {
    way = other.way;
    leaf = other.leaf;
    slot = other.slot;
    offset = other.offset;
  }

  private boolean isFollowedBelow(Dot dot) {
    if (isInLeaf() && offset < run().size()) {
      return dot().compareTo(dot) < 0;
    }
    Run<C> inLeaf = nextInLeaf();
    Run<C> next = inLeaf != null ? inLeaf : firstRunOfNextLeaf();
    return next == null || next.ids().first().compareTo(dot) < 0;
  }

  private @Nullable Run<C> firstRunOfNextLeaf() {
    for (RunPath<C> up = way; up != null; up = up.above()) {
      if (up.child() + 1 < up.node().slots()) {
        RunNode<C> node = up.node().child(up.child() + 1);
        while (node instanceof Inner<C> inner) {
          node = inner.child(0);
        }
        return latest((Leaf<C>) node).runs[0];
      }
    }
    return null;
  }

  private void moveInLeafBelow(Dot dot) {
    while (isInLeaf() && run().ids().first().compareTo(dot) > 0) {
      slot++;
    }
  }

  /** Moves to the next leaf all of whose ancestors, and itself, fulfil a condition. */
  private boolean moveToNextLeaf(Predicate<RunNode<C>> condition) {
    for (RunPath<C> up = way; up != null; up = up.above()) {
      int child = firstThat(condition, up.node(), up.child() + 1);
      if (child < up.node().slots()) {
        moveUnder(up, child, inner -> firstThat(condition, inner, 0));
        return true;
      }
    }
    return false;
  }

  private static <C> int firstThat(Predicate<RunNode<C>> condition, Inner<C> parent, int from) {
    int i = from;
    while (i < parent.slots() && !condition.test(parent.stored(i))) {
      i++;
    }
    return i;
  }

  private void moveToEnd() {
    RunNode<C> root = way == null ? leaf : way.root();
    leaf = descend(root, null, inner -> inner.slots() - 1);
    slot = leaf.runs.length;
    offset = 0;
  }
}
