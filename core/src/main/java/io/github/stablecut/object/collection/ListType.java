package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import java.util.List;
import java.util.Optional;

/** The type of lists: its operations, and the format of its logs. */
public final class ListType {
  /** An element and its index. */
  record IndexedElement(int index, Bytes element) {
    static final Codec<IndexedElement> CODEC =
        CollectionCodecs.codec(
            (placed, out) -> {
              out.writeUnsigned(placed.index);
              out.writeBytes(placed.element);
            },
            in -> new IndexedElement(in.readIndex(), in.readBytes()));
  }

  /** An element, its index, and another one to insert after it or replace it with. */
  record Neighbour(int index, Bytes existing, Bytes other) {
    private static final Codec<Neighbour> CODEC =
        CollectionCodecs.codec(
            (neighbour, out) -> {
              out.writeUnsigned(neighbour.index);
              out.writeBytes(neighbour.existing);
              out.writeBytes(neighbour.other);
            },
            in -> new Neighbour(in.readIndex(), in.readBytes(), in.readBytes()));
  }

  static final Accessor<Tree<Bytes>, None, Integer> SIZE =
      Operation.accessor("size", CollectionCodecs.INDEX, Tree::size);

  static final Accessor<Tree<Bytes>, Integer, Bytes> GET =
      Operation.accessor("get", CollectionCodecs.INDEX, Codec.bytes(), Tree::get);

  static final Accessor<Tree<Bytes>, Bytes, Integer> INDEX_OF =
      Operation.accessor(
          "indexOf",
          Codec.bytes(),
          CollectionCodecs.INDEX_OR_NONE,
          (list, element) -> list.toList().indexOf(element));

  static final Accessor<Tree<Bytes>, Bytes, Integer> LAST_INDEX_OF =
      Operation.accessor(
          "lastIndexOf",
          Codec.bytes(),
          CollectionCodecs.INDEX_OR_NONE,
          (list, element) -> list.toList().lastIndexOf(element));

  static final Accessor<Tree<Bytes>, None, Optional<Bytes>> FIRST =
      Operation.accessor("first", CollectionCodecs.OPTIONAL, list -> at(list, 0));

  static final Accessor<Tree<Bytes>, None, Optional<Bytes>> LAST =
      Operation.accessor("last", CollectionCodecs.OPTIONAL, list -> at(list, list.size() - 1));

  static final Mutator<Tree<Bytes>, Bytes> APPEND =
      Operation.mutator(
          "append", Codec.bytes(), (list, element) -> list.inserted(list.size(), element));

  static final Mutator<Tree<Bytes>, Bytes> PREPEND =
      Operation.mutator("prepend", Codec.bytes(), (list, element) -> list.inserted(0, element));

  static final Mutator<Tree<Bytes>, List<Bytes>> APPEND_ALL =
      Operation.mutator(
          "appendAll",
          CollectionCodecs.ALL,
          (list, all) -> Splice.applied(list, List.of(new Splice(list.size(), 0, all))));

  static final Mutator<Tree<Bytes>, List<Bytes>> PREPEND_ALL =
      Operation.mutator(
          "prependAll",
          CollectionCodecs.ALL,
          (list, all) -> Splice.applied(list, List.of(new Splice(0, 0, all))));

  static final MutatorAccessor<Tree<Bytes>, List<Splice>, Boolean> SPLICE =
      Operation.mutatorAccessor(
          "splice",
          Splice.LIST,
          Codec.bool(),
          (list, splices) -> new Outcome<>(Splice.applied(list, splices), true));

  static final Mutator<Tree<Bytes>, None> CLEAR = Operation.mutator("clear", list -> Tree.empty());

  static final MutatorAccessor<Tree<Bytes>, IndexedElement, Boolean> INSERT =
      Operation.mutatorAccessor(
          "insert",
          IndexedElement.CODEC,
          Codec.bool(),
          (list, placed) -> new Outcome<>(list.inserted(placed.index, placed.element), true));

  static final MutatorAccessor<Tree<Bytes>, IndexedElement, Bytes> SET =
      Operation.mutatorAccessor(
          "set",
          IndexedElement.CODEC,
          Codec.bytes(),
          (list, placed) ->
              new Outcome<>(list.with(placed.index, placed.element), list.get(placed.index)));

  static final MutatorAccessor<Tree<Bytes>, Integer, Bytes> REMOVE =
      Operation.mutatorAccessor(
          "remove",
          CollectionCodecs.INDEX,
          Codec.bytes(),
          (list, index) -> new Outcome<>(list.removed(index), list.get(index)));

  static final MutatorAccessor<Tree<Bytes>, Bytes, Boolean> REMOVE_FIRST_OF =
      Operation.mutatorAccessor(
          "removeFirstOf",
          Codec.bytes(),
          Codec.bool(),
          (list, element) -> without(list, list.toList().indexOf(element)));

  static final MutatorAccessor<Tree<Bytes>, Bytes, Boolean> REMOVE_LAST_OF =
      Operation.mutatorAccessor(
          "removeLastOf",
          Codec.bytes(),
          Codec.bool(),
          (list, element) -> without(list, list.toList().lastIndexOf(element)));

  /** Removes an element at its previous index or, if others have moved it, the first equal one. */
  static final MutatorAccessor<Tree<Bytes>, IndexedElement, Boolean> REMOVE_NEAR =
      Operation.mutatorAccessor(
          "removeNear",
          IndexedElement.CODEC,
          Codec.bool(),
          (list, placed) -> without(list, near(list, placed.index, placed.element)));

  /** Replaces an element at its previous index, or otherwise the first equal one. */
  static final MutatorAccessor<Tree<Bytes>, Neighbour, Boolean> SET_NEAR =
      Operation.mutatorAccessor(
          "setNear",
          Neighbour.CODEC,
          Codec.bool(),
          (list, neighbour) -> {
            int index = near(list, neighbour.index, neighbour.existing);
            return index < 0
                ? new Outcome<>(list, false)
                : new Outcome<>(list.with(index, neighbour.other), true);
          });

  /** Inserts at an index if a given element precedes it, or otherwise after the first equal one. */
  static final MutatorAccessor<Tree<Bytes>, Neighbour, Boolean> INSERT_NEAR =
      Operation.mutatorAccessor(
          "insertNear",
          Neighbour.CODEC,
          Codec.bool(),
          (list, neighbour) -> {
            int index = near(list, neighbour.index - 1, neighbour.existing);
            return index < 0
                ? new Outcome<>(list, false)
                : new Outcome<>(list.inserted(index + 1, neighbour.other), true);
          });

  static final MutatorAccessor<Tree<Bytes>, None, Optional<Bytes>> POLL_FIRST =
      Operation.mutatorAccessor("pollFirst", CollectionCodecs.OPTIONAL, list -> polled(list, 0));

  static final MutatorAccessor<Tree<Bytes>, None, Optional<Bytes>> POLL_LAST =
      Operation.mutatorAccessor(
          "pollLast", CollectionCodecs.OPTIONAL, list -> polled(list, list.size() - 1));

  public static final ObjectType<Tree<Bytes>> TYPE =
      ObjectType.of(
              "list",
              CollectionCodecs.<Bytes>tree(
                  1, (element, out) -> write(element, out), Decoder::readBytes),
              Tree.<Bytes>empty())
          .with(
              SIZE,
              GET,
              INDEX_OF,
              LAST_INDEX_OF,
              FIRST,
              LAST,
              APPEND,
              PREPEND,
              CLEAR,
              INSERT,
              SET,
              REMOVE,
              REMOVE_FIRST_OF,
              REMOVE_LAST_OF,
              REMOVE_NEAR,
              SET_NEAR,
              INSERT_NEAR,
              APPEND_ALL,
              PREPEND_ALL,
              SPLICE,
              POLL_FIRST,
              POLL_LAST);

  private ListType() {}

  private static void write(Bytes element, Encoder out) {
    out.writeBytes(element);
  }

  /**
   * Returns the index of an element if it is still there, or otherwise that of the first equal one,
   * or -1.
   */
  private static int near(Tree<Bytes> list, int index, Bytes element) {
    return index >= 0 && index < list.size() && list.get(index).equals(element)
        ? index
        : list.toList().indexOf(element);
  }

  private static Outcome<Tree<Bytes>, Boolean> without(Tree<Bytes> list, int index) {
    return index < 0 ? new Outcome<>(list, false) : new Outcome<>(list.removed(index), true);
  }

  private static Optional<Bytes> at(Tree<Bytes> list, int index) {
    return list.isEmpty() ? Optional.empty() : Optional.of(list.get(index));
  }

  private static Outcome<Tree<Bytes>, Optional<Bytes>> polled(Tree<Bytes> list, int index) {
    return list.isEmpty()
        ? new Outcome<>(list, Optional.empty())
        : new Outcome<>(list.removed(index), Optional.of(list.get(index)));
  }
}
