package io.github.stablecut.crdt;

import io.github.stablecut.crdt.RunNode.Inner;
import org.jspecify.annotations.Nullable;

/**
 * The way from a node of a {@link RunTree} up to the root, one step after the other. Immutable;
 * ways to neighbours share the steps above both.
 *
 * @param node the node above
 * @param child which of its children is the one below
 * @param above the way from there on; null at the root
 */
record RunPath<C>(Inner<C> node, int child, @Nullable RunPath<C> above) {
  /** The root, with a changed copy of what is below. */
  RunNode<C> rootWith(RunNode<C> below) {
    RunNode<C> changed = node.with(child, below);
    return above == null ? changed : above.rootWith(changed);
  }

  /** The root. */
  Inner<C> root() {
    return above == null ? node : above.root();
  }

  /** The same way in a tree with another root, where each node has as many children. */
  RunPath<C> in(RunNode<C> root) {
    if (above == null) {
      return new RunPath<>((Inner<C>) root, child, null);
    }
    RunPath<C> up = above.in(root);
    return new RunPath<>((Inner<C>) up.node.child(up.child), child, up);
  }

  /** The node below. */
  RunNode<C> below() {
    return node.child(child);
  }

  /** Changed copies come in the place of the nodes below each on the way. */
  void copied() {
    node.stored(child).copied();
    if (above != null) {
      above.copied();
    }
  }

  /** How many visible elements are before the node below. */
  int elementsBefore() {
    return Ends.before(node.elementEnds(), child) + (above == null ? 0 : above.elementsBefore());
  }

  /** How many places of a Java sequence these take. */
  int unitsBefore() {
    return Ends.before(node.unitEnds(), child) + (above == null ? 0 : above.unitsBefore());
  }
}
