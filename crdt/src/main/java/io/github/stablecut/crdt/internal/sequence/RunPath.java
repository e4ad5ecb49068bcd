package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.internal.sequence.RunNode.Inner;
import org.jspecify.annotations.Nullable;

/**
 * The path from a node of a {@link RunTree} up to the root, as a linked list. Immutable; paths from
 * neighbours share their common part.
 *
 * @param node the parent
 * @param child the slot of the node among the parent's children
 * @param above the rest of the path; null at the root
 */
record RunPath<C>(Inner<C> node, int child, @Nullable RunPath<C> above) {
  /** The root after replacing the node below with a changed copy. */
  RunNode<C> rootWith(RunNode<C> below) {
    RunNode<C> changed = node.with(child, below);
    return above == null ? changed : above.rootWith(changed);
  }

  /** The root. */
  Inner<C> root() {
    return above == null ? node : above.root();
  }

  /** The same path in a tree with another root, whose nodes have the same numbers of children. */
  RunPath<C> in(RunNode<C> root) {
    if (above == null) {
      return new RunPath<>((Inner<C>) root, child, null);
    }
    RunPath<C> up = above.in(root);
    return new RunPath<>((Inner<C>) up.node.child(up.child), child, up);
  }

  /** The node at the lower end of this path. */
  RunNode<C> below() {
    return node.child(child);
  }

  /** Reports changed copies of the nodes on the path ({@link RunNode#copied}). */
  void copied() {
    node.stored(child).copied();
    if (above != null) {
      above.copied();
    }
  }

  /** The number of visible elements before {@link #below}. */
  int elementsBefore() {
    return Ends.before(node.elementEnds(), child) + (above == null ? 0 : above.elementsBefore());
  }

  /** The number of units before {@link #below}. */
  int unitsBefore() {
    return Ends.before(node.unitEnds(), child) + (above == null ? 0 : above.unitsBefore());
  }
}
