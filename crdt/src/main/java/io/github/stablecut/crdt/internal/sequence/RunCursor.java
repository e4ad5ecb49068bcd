package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.internal.sequence.RunNode.Inner;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A movable position in a {@link RunTree}: a gap before an element, or after the last. Confined to
 * one thread.
 *
 * <p>The gap between two runs has two representations: the end of the left run, where {@link
 * #offset} is its size, and the beginning of the right run, where it is 0.
 */
final class RunCursor<C> {
  private final @Nullable OpenLeaf<C> open;

  /** The path from the leaf to the root; null if the leaf is the root. */
  private @Nullable RunPath<C> path;

  private Leaf<C> leaf;
  private int slot;
  private int offset;

  /** Chooses the child that leads to the target. */
  private interface Choice<C> {
    int childOf(Inner<C> inner);
  }

  private RunCursor(RunNode<C> root, @Nullable OpenLeaf<C> open, Choice<C> choice) {
    this.open = open;
    leaf = descend(root, null, choice);
  }

  private RunCursor(@Nullable OpenLeaf<C> open, @Nullable RunPath<C> path, Leaf<C> leaf) {
    this.open = open;
    this.path = path;
    this.leaf = leaf;
  }

  private RunCursor(RunCursor<C> other) {
    open = other.open;
    leaf = other.leaf;
    moveTo(other);
  }

  /**
   * @param above the path from the node's parent to the root
   */
  private Leaf<C> descend(RunNode<C> from, @Nullable RunPath<C> above, Choice<C> choice) {
    RunNode<C> node = from;
    RunPath<C> up = above;
    while (node instanceof Inner<C> inner) {
      up = new RunPath<>(inner, choice.childOf(inner), up);
      node = up.below();
    }
    path = up;
    return latest((Leaf<C>) node);
  }

  /** The latest version of a leaf that its parent refers to. */
  private Leaf<C> latest(Leaf<C> stored) {
    return open != null && open.is(stored.number) ? open.leaf() : stored;
  }

  /** The gap before the first element. */
  static <C> RunCursor<C> atStart(RunNode<C> root, @Nullable OpenLeaf<C> open) {
    return new RunCursor<>(root, open, inner -> 0);
  }

  /**
   * The gap before a visible element.
   *
   * @param position the number of visible elements before it, below their total number
   */
  static <C> RunCursor<C> beforeVisible(RunNode<C> root, @Nullable OpenLeaf<C> open, int position) {
    if (open == null || position < open.elementsBefore()) {
      return beforeCounted(root, open, position);
    }
    int inOpen = position - open.elementsBefore();
    if (inOpen >= open.leaf().visible) {
      return beforeCounted(root, open, position - open.addedVisible());
    }
    RunCursor<C> cursor = new RunCursor<>(open, open.path(), open.leaf());
    cursor.moveInLeafTo(inOpen);
    return cursor;
  }

  /**
   * @param position the position by the counts of the nodes, which exclude changes of the open leaf
   */
  private static <C> RunCursor<C> beforeCounted(
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

  /** The beginning of a run in the open leaf. */
  static <C> RunCursor<C> beforeRun(OpenLeaf<C> open, int slot) {
    RunCursor<C> cursor = new RunCursor<>(open, open.path(), open.leaf());
    cursor.slot = slot;
    return cursor;
  }

  /**
   * The beginning of a run.
   *
   * @param start the first dot of the run
   * @param numbers the numbers of the nodes from the run's leaf up to below the root
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
   * The same gap in a tree with another root, whose nodes have the same numbers of children and
   * whose leaf is the same.
   */
  RunCursor<C> in(RunNode<C> root) {
    RunCursor<C> cursor = new RunCursor<>(null, path == null ? null : path.in(root), leaf);
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

  /** The slot of the gap's run in the leaf; the number of runs at the end of the leaf. */
  int slot() {
    return slot;
  }

  /** The number of elements of the run before the gap. */
  int offset() {
    return offset;
  }

  /** The path from the leaf to the root; null if the leaf is the root. */
  @Nullable RunPath<C> path() {
    return path;
  }

  /** The dot of the element after the gap, which must be in the run. */
  Dot dot() {
    return run().ids().get(offset);
  }

  /** The previous run; null if it is not in this leaf. */
  @Nullable Run<C> previousInLeaf() {
    return slot == 0 ? null : leaf.runs[slot - 1];
  }

  /** The next run; null if it is not in this leaf. */
  @Nullable Run<C> nextInLeaf() {
    return slot + 1 >= leaf.runs.length ? null : leaf.runs[slot + 1];
  }

  /** The next visible run; null if it is not in this leaf. */
  @Nullable Run<C> nextVisibleInLeaf() {
    for (int i = slot + 1; i < leaf.runs.length; i++) {
      if (leaf.runs[i].visibleSize() > 0) {
        return leaf.runs[i];
      }
    }
    return null;
  }

  /** Moves forward by a number of elements within the run. */
  void moveInRun(int elements) {
    offset += elements;
  }

  /** Moves to the beginning of the previous run in this leaf. */
  void moveToPrevious() {
    slot--;
    offset = 0;
  }

  /** Moves past this run in this leaf. */
  void moveAfterRun() {
    slot++;
    offset = 0;
  }

  /** Moves to the beginning of the next run; returns false if there is none. */
  boolean moveToNextRun() {
    moveAfterRun();
    return isInLeaf() || moveToNextLeaf(node -> true);
  }

  private boolean isInLeaf() {
    return slot < leaf.runs.length;
  }

  /**
   * Moves right over elements with dots above another, until an element with a lower dot or none
   * follows.
   */
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
   * Moves left past the subtrees of elements on the right. The elements around the gap with dots
   * above {@code dot} descend from an element further left or further right. The former precede the
   * latter, and an element with {@code dot} belongs in the gap between the two groups.
   */
  void moveBetween(Dot dot) {
    Dot bound = dot;
    for (RunCursor<C> root = rootToTheLeft(bound); root != null; root = rootToTheLeft(bound)) {
      moveTo(root);
      bound = run().ids().first();
    }
  }

  /**
   * Searches the adjacent runs to the left that begin above a bound. Returns the leftmost of them
   * that was inserted before an element to the right of all of them; null if there is none. Only
   * runs that begin below all runs to their right qualify.
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
   * Moves to the beginning of the nearest run to the left that begins below a dot; of any run if
   * the dot is null. Returns false if there is none.
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
    for (RunPath<C> up = path; up != null; up = up.above()) {
      int child = lastMatching(condition, up.node(), up.child());
      if (child >= 0) {
        moveUnder(up, child, inner -> lastMatching(condition, inner, inner.slots()));
        slot = leaf.runs.length;
        return moveToPreviousBelow(dot);
      }
    }
    return false;
  }

  /** Moves to the beginning of a leaf below another child of a node on the path. */
  private void moveUnder(RunPath<C> up, int child, Choice<C> choice) {
    RunPath<C> other = new RunPath<>(up.node(), child, up.above());
    leaf = descend(other.below(), other, choice);
    slot = 0;
    offset = 0;
  }

  private static <C> int lastMatching(Predicate<RunNode<C>> condition, Inner<C> parent, int below) {
    int i = below - 1;
    while (i >= 0 && !condition.test(parent.stored(i))) {
      i--;
    }
    return i;
  }

  private void moveTo(RunCursor<C> other) {
    path = other.path;
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
    for (RunPath<C> up = path; up != null; up = up.above()) {
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

  /**
   * Moves to the next leaf that satisfies a condition together with its ancestors; returns false if
   * there is none.
   */
  private boolean moveToNextLeaf(Predicate<RunNode<C>> condition) {
    for (RunPath<C> up = path; up != null; up = up.above()) {
      int child = firstMatching(condition, up.node(), up.child() + 1);
      if (child < up.node().slots()) {
        moveUnder(up, child, inner -> firstMatching(condition, inner, 0));
        return true;
      }
    }
    return false;
  }

  private static <C> int firstMatching(Predicate<RunNode<C>> condition, Inner<C> parent, int from) {
    int i = from;
    while (i < parent.slots() && !condition.test(parent.stored(i))) {
      i++;
    }
    return i;
  }

  private void moveToEnd() {
    RunNode<C> root = path == null ? leaf : path.root();
    leaf = descend(root, null, inner -> inner.slots() - 1);
    slot = leaf.runs.length;
    offset = 0;
  }
}
