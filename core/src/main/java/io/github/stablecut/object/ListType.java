package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import java.util.Optional;

/** Lists: what is done to them, and what is in their logs. */
final class ListType {
  /** An element and its place. */
  record Placed(int index, Bytes element) {
    static final Codec<Placed> CODEC =
        Parts.codec(
            (placed, out) -> {
              out.writeUnsigned(placed.index);
              out.writeBytes(placed.element);
            },
            in -> new Placed(in.readIndex(), in.readBytes()));
  }

  private static final Codec<Integer> INDEX =
      Parts.codec((index, out) -> out.writeUnsigned(index), Decoder::readIndex);

  static final Mutator<Tree<Bytes>, Bytes> APPEND =
      Operation.mutator(
          "append", Codec.bytes(), (list, element) -> list.inserted(list.size(), element));

  static final Mutator<Tree<Bytes>, Bytes> PREPEND =
      Operation.mutator("prepend", Codec.bytes(), (list, element) -> list.inserted(0, element));

  static final Mutator<Tree<Bytes>, None> CLEAR = Operation.mutator("clear", list -> Tree.empty());

  static final MutatorAccessor<Tree<Bytes>, Placed, Boolean> INSERT =
      Operation.mutatorAccessor(
          "insert",
          Placed.CODEC,
          (list, placed) -> new Outcome<>(list.inserted(placed.index, placed.element), true));

  static final MutatorAccessor<Tree<Bytes>, Placed, Bytes> SET =
      Operation.mutatorAccessor(
          "set",
          Placed.CODEC,
          (list, placed) ->
              new Outcome<>(list.with(placed.index, placed.element), list.get(placed.index)));

  static final MutatorAccessor<Tree<Bytes>, Integer, Bytes> REMOVE =
      Operation.mutatorAccessor(
          "remove", INDEX, (list, index) -> new Outcome<>(list.removed(index), list.get(index)));

  static final MutatorAccessor<Tree<Bytes>, Bytes, Boolean> REMOVE_FIRST_OF =
      Operation.mutatorAccessor(
          "removeFirstOf",
          Codec.bytes(),
          (list, element) -> without(list, list.toList().indexOf(element)));

  static final MutatorAccessor<Tree<Bytes>, Bytes, Boolean> REMOVE_LAST_OF =
      Operation.mutatorAccessor(
          "removeLastOf",
          Codec.bytes(),
          (list, element) -> without(list, list.toList().lastIndexOf(element)));

  /** Removes an element where it was, or else, if others have moved it, the first equal one. */
  static final MutatorAccessor<Tree<Bytes>, Placed, Boolean> REMOVE_NEAR =
      Operation.mutatorAccessor(
          "removeNear",
          Placed.CODEC,
          (list, placed) ->
              placed.index < list.size() && list.get(placed.index).equals(placed.element)
                  ? without(list, placed.index)
                  : without(list, list.toList().indexOf(placed.element)));

  static final MutatorAccessor<Tree<Bytes>, None, Optional<Bytes>> POLL_FIRST =
      Operation.mutatorAccessor("pollFirst", list -> polled(list, 0));

  static final MutatorAccessor<Tree<Bytes>, None, Optional<Bytes>> POLL_LAST =
      Operation.mutatorAccessor("pollLast", list -> polled(list, list.size() - 1));

  static final ObjectType<Tree<Bytes>> TYPE =
      ObjectType.of(
              "list",
              Parts.<Bytes>tree(1, (element, out) -> write(element, out), Decoder::readBytes),
              Tree.<Bytes>empty())
          .with(
              APPEND,
              PREPEND,
              CLEAR,
              INSERT,
              SET,
              REMOVE,
              REMOVE_FIRST_OF,
              REMOVE_LAST_OF,
              REMOVE_NEAR,
              POLL_FIRST,
              POLL_LAST);

  private ListType() {}

  private static void write(Bytes element, Encoder out) {
    out.writeBytes(element);
  }

  private static Outcome<Tree<Bytes>, Boolean> without(Tree<Bytes> list, int index) {
    return index < 0 ? new Outcome<>(list, false) : new Outcome<>(list.removed(index), true);
  }

  private static Outcome<Tree<Bytes>, Optional<Bytes>> polled(Tree<Bytes> list, int index) {
    return list.isEmpty()
        ? new Outcome<>(list, Optional.empty())
        : new Outcome<>(list.removed(index), Optional.of(list.get(index)));
  }
}
