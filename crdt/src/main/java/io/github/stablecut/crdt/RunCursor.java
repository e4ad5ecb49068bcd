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
  /** Trees are less deep: nodes are half full when they come from a split. */
  static final int MAX_DEPTH = 10;

  private final Inner<C>[] path = newPath();
  private final int[] slots = new int[MAX_DEPTH];
  private int depth;
  private Leaf<C> leaf;
  private int slot;
  private int offset;

  /** Which child leads to the place that is sought. */
  private interface Choice<C> {
    int childOf(Inner<C> inner);
  }

  private RunCursor(RunNode<C> root, Choice<C> choice) {
    leaf = descend(root, choice);
  }

  private RunCursor(RunCursor<C> other) {
    leaf = other.leaf;
    moveTo(other);
  }

  @SuppressWarnings("unchecked") // only nodes of the tree are put in
  private static <C> Inner<C>[] newPath() {
    return (Inner<C>[]) new Inner<?>[MAX_DEPTH];
  }

  private Leaf<C> descend(RunNode<C> from, Choice<C> choice) {
    RunNode<C> node = from;
    while (node instanceof Inner<C> inner) {
      path[depth] = inner;
      slots[depth] = choice.childOf(inner);
      node = inner.child(slots[depth++]);
    }
    return (Leaf<C>) node;
  }

  /** The gap before everything. */
  static <C> RunCursor<C> atStart(RunNode<C> root) {
    return new RunCursor<>(root, inner -> 0);
  }

  /**
   * The gap before a visible element.
   *
   * @param position how many visible elements are before it; less than there are
   */
  static <C> RunCursor<C> beforeVisible(RunNode<C> root, int position) {
    int[] rest = {position};
    RunCursor<C> cursor = new RunCursor<>(root, inner -> slotOf(inner.elementEnds(), rest));
    cursor.slot = slotOf(cursor.leaf.elementEnds(), rest);
    cursor.offset = rest[0];
    return cursor;
  }

  /** The slot that holds a visible element; the rest becomes the element's place in it. */
  private static int slotOf(int[] ends, int[] rest) {
    int slot = Ends.slotOf(ends, rest[0]);
    rest[0] -= Ends.before(ends, slot);
    return slot;
  }

  /**
   * The beginning of a run.
   *
   * @param start the first dot of the run
   * @param numbers of the nodes on the way to its leaf, from the leaf up to below the root
   */
  static <C> RunCursor<C> beforeRun(RunNode<C> root, Dot start, int[] numbers) {
    int[] level = {numbers.length};
    RunCursor<C> cursor =
        new RunCursor<>(
            root,
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

  /** How many inner nodes are above the leaf. */
  int depth() {
    return depth;
  }

  /** The inner node at a level, 0 for the root. */
  Inner<C> inner(int level) {
    return path[level];
  }

  /** Which child of the inner node at a level is on the way. */
  int childSlot(int level) {
    return slots[level];
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
    for (int level = depth - 1; level >= 0; level--) {
      int child = lastThat(condition, path[level], slots[level]);
      if (child >= 0) {
        slots[level] = child;
        depth = level + 1;
        leaf =
            descend(path[level].child(child), inner -> lastThat(condition, inner, inner.slots()));
        slot = leaf.runs.length;
        offset = 0;
        return moveToPreviousBelow(dot);
      }
    }
    return false;
  }

  private static <C> int lastThat(Predicate<RunNode<C>> condition, Inner<C> parent, int below) {
    int i = below - 1;
    while (i >= 0 && !condition.test(parent.stored(i))) {
      i--;
    }
    return i;
  }

  private void moveTo(RunCursor<C> other) {
    System.arraycopy(other.path, 0, path, 0, other.depth);
    System.arraycopy(other.slots, 0, slots, 0, other.depth);
    depth = other.depth;
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
    for (int level = depth - 1; level >= 0; level--) {
      if (slots[level] + 1 < path[level].slots()) {
        RunNode<C> node = path[level].child(slots[level] + 1);
        while (node instanceof Inner<C> inner) {
          node = inner.child(0);
        }
        return ((Leaf<C>) node).runs[0];
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
    for (int level = depth - 1; level >= 0; level--) {
      Inner<C> parent = path[level];
      int child = firstThat(condition, parent, slots[level] + 1);
      if (child < parent.slots()) {
        slots[level] = child;
        depth = level + 1;
        leaf = descend(parent.child(child), inner -> firstThat(condition, inner, 0));
        slot = 0;
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
    RunNode<C> root = depth == 0 ? leaf : path[0];
    depth = 0;
    leaf = descend(root, inner -> inner.slots() - 1);
    slot = leaf.runs.length;
    offset = 0;
  }
}
