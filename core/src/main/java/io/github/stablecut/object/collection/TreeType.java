package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.Mutator;
import java.util.Optional;

/** The types of the base and the inner nodes of a {@link ComposedTree}; its leaves are maps. */
public final class TreeType {
  /**
   * A reference to a node.
   *
   * @param bound the inclusive lower bound of its keys
   * @param id identifies the node's object
   */
  record Child(Bytes bound, long id, boolean isLeaf) {
    private static final Codec<Child> CODEC = CollectionCodecs.codec(Child::write, Child::read);

    private static void write(Child child, Encoder out) {
      out.writeBytes(child.bound);
      out.writeSigned(child.id);
      out.writeFlag(child.isLeaf);
    }

    private static Child read(Decoder in) {
      return new Child(in.readBytes(), in.readSigned(), in.readFlag());
    }
  }

  static final Mutator<Optional<Child>, Child> SET_ROOT =
      Operation.mutator("setRoot", Child.CODEC, (before, root) -> Optional.of(root));

  public static final ObjectType<Optional<Child>> BASE =
      ObjectType.of(
              "composed tree",
              CollectionCodecs.<Optional<Child>>codec(
                  (root, out) -> out.writeOptionalBytes(root.map(Child.CODEC::encode)),
                  in -> in.readOptionalBytes().map(Child.CODEC::decode)),
              Optional.<Child>empty())
          .with(SET_ROOT);

  static final Mutator<Tree<Child>, Child> ADD =
      Operation.mutator(
          "add",
          Child.CODEC,
          (children, child) ->
              children.inserted(
                  children.isEmpty() ? 0 : childOf(children, child.bound) + 1, child));

  /** Keeps the children below a bound. */
  static final Mutator<Tree<Child>, Bytes> CUT =
      Operation.mutator(
          "cut",
          Codec.bytes(),
          (children, bound) ->
              Tree.of(
                  children.toList().stream()
                      .filter(child -> child.bound.compareTo(bound) < 0)
                      .toList()));

  /** Removes a child. If it was the first, the next one takes over its bound. */
  static final Mutator<Tree<Child>, Child> DROP =
      Operation.mutator(
          "drop",
          Child.CODEC,
          (children, dropped) -> {
            int index = children.toList().indexOf(dropped);
            if (index < 0) {
              return children;
            }
            Tree<Child> left = children.removed(index);
            if (index > 0 || left.isEmpty()) {
              return left;
            }
            Child first = left.get(0);
            return left.with(0, new Child(dropped.bound, first.id, first.isLeaf));
          });

  static final ObjectType<Tree<Child>> INNER =
      ObjectType.of(
              "tree node",
              CollectionCodecs.<Child>tree(3, Child::write, Child::read),
              Tree.<Child>empty())
          .with(ADD, CUT, DROP);

  private TreeType() {}

  /**
   * Returns the index of the child whose range includes a key; the first one if the key precedes
   * all.
   */
  static int childOf(Tree<Child> children, Bytes key) {
    int index = children.search(child -> key.compareTo(child.bound));
    return index >= 0 ? index : Math.max(0, -2 - index);
  }
}
