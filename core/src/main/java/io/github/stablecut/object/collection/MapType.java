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
import java.util.function.BiPredicate;

/**
 * The type of maps in the order of their keys' bytes: its operations, and the format of its logs.
 */
public final class MapType {
  /** A key and its value. */
  record Pair(Bytes key, Bytes value) {
    static final Codec<Pair> CODEC = CollectionCodecs.codec(Pair::write, Pair::read);
    static final Codec<List<Pair>> LIST =
        CollectionCodecs.codec(
            (pairs, out) -> {
              out.writeUnsigned(pairs.size());
              pairs.forEach(pair -> write(pair, out));
            },
            in -> List.copyOf(in.<Pair>readList(2, Pair::read)));

    private static void write(Pair pair, Encoder out) {
      out.writeBytes(pair.key);
      out.writeBytes(pair.value);
    }

    private static Pair read(Decoder in) {
      return new Pair(in.readBytes(), in.readBytes());
    }
  }

  /** A pair, and the value that the key must have for the change to apply. */
  record Change(Bytes key, Bytes expected, Bytes value) {
    private static final Codec<Change> CODEC =
        CollectionCodecs.codec(
            (change, out) -> {
              out.writeBytes(change.key);
              out.writeBytes(change.expected);
              out.writeBytes(change.value);
            },
            in -> new Change(in.readBytes(), in.readBytes(), in.readBytes()));
  }

  static final Mutator<Tree<Pair>, Pair> PUT_BLINDLY =
      Operation.mutator("fastPut", Pair.CODEC, MapType::with);

  static final Mutator<Tree<Pair>, List<Pair>> PUT_ALL =
      Operation.mutator(
          "putAll",
          Pair.LIST,
          (map, pairs) -> {
            Tree<Pair> all = map;
            for (Pair pair : pairs) {
              all = with(all, pair);
            }
            return all;
          });

  static final Mutator<Tree<Pair>, List<Bytes>> REMOVE_ALL =
      Operation.mutator(
          "removeAll",
          CollectionCodecs.ALL,
          (map, keys) -> {
            Tree<Pair> left = map;
            for (Bytes key : keys) {
              left = without(left, key);
            }
            return left;
          });

  static final Mutator<Tree<Pair>, None> CLEAR = Operation.mutator("clear", map -> Tree.empty());

  /** Keeps the pairs before a key. */
  static final Mutator<Tree<Pair>, Bytes> CUT =
      Operation.mutator(
          "cut", Codec.bytes(), (map, key) -> Tree.of(map.toList().subList(0, ceiling(map, key))));

  static final Accessor<Tree<Pair>, Bytes, Optional<Bytes>> GET =
      Operation.accessor("get", Codec.bytes(), CollectionCodecs.OPTIONAL, MapType::get);

  static final Accessor<Tree<Pair>, None, Integer> SIZE =
      Operation.accessor("size", CollectionCodecs.INDEX, Tree::size);

  static final MutatorAccessor<Tree<Pair>, Pair, Optional<Bytes>> PUT =
      put("put", (found, given) -> true);

  static final MutatorAccessor<Tree<Pair>, Pair, Optional<Bytes>> PUT_IF_ABSENT =
      put("putIfAbsent", (found, given) -> found.isEmpty());

  static final MutatorAccessor<Tree<Pair>, Pair, Optional<Bytes>> REPLACE =
      put("replace", (found, given) -> found.isPresent());

  static final MutatorAccessor<Tree<Pair>, Change, Boolean> REPLACE_IF =
      Operation.mutatorAccessor(
          "replaceIf",
          Change.CODEC,
          Codec.bool(),
          (map, change) ->
              get(map, change.key).filter(change.expected::equals).isPresent()
                  ? new Outcome<>(with(map, new Pair(change.key, change.value)), true)
                  : new Outcome<>(map, false));

  static final MutatorAccessor<Tree<Pair>, Bytes, Optional<Bytes>> REMOVE =
      Operation.mutatorAccessor(
          "remove",
          Codec.bytes(),
          CollectionCodecs.OPTIONAL,
          (map, key) -> new Outcome<>(without(map, key), get(map, key)));

  static final MutatorAccessor<Tree<Pair>, Pair, Boolean> REMOVE_IF =
      Operation.mutatorAccessor(
          "removeIf",
          Pair.CODEC,
          Codec.bool(),
          (map, pair) ->
              get(map, pair.key).filter(pair.value::equals).isPresent()
                  ? new Outcome<>(without(map, pair.key), true)
                  : new Outcome<>(map, false));

  public static final ObjectType<Tree<Pair>> TYPE =
      ObjectType.of(
              "map", CollectionCodecs.<Pair>tree(2, Pair::write, Pair::read), Tree.<Pair>empty())
          .with(
              GET,
              SIZE,
              PUT_BLINDLY,
              PUT_ALL,
              REMOVE_ALL,
              CLEAR,
              CUT,
              PUT,
              PUT_IF_ABSENT,
              REPLACE,
              REPLACE_IF,
              REMOVE,
              REMOVE_IF);

  private MapType() {}

  private static MutatorAccessor<Tree<Pair>, Pair, Optional<Bytes>> put(
      String name, BiPredicate<Optional<Bytes>, Pair> condition) {
    return Operation.mutatorAccessor(
        name,
        Pair.CODEC,
        CollectionCodecs.OPTIONAL,
        (map, pair) -> {
          Optional<Bytes> found = get(map, pair.key);
          return new Outcome<>(condition.test(found, pair) ? with(map, pair) : map, found);
        });
  }

  private static int search(Tree<Pair> map, Bytes key) {
    return map.search(pair -> key.compareTo(pair.key));
  }

  /** Returns the index of the first key at or above the given one. */
  static int ceiling(Tree<Pair> map, Bytes key) {
    int index = search(map, key);
    return index < 0 ? -1 - index : index;
  }

  static Optional<Bytes> get(Tree<Pair> map, Bytes key) {
    int index = search(map, key);
    return index < 0 ? Optional.empty() : Optional.of(map.get(index).value);
  }

  private static Tree<Pair> with(Tree<Pair> map, Pair pair) {
    int index = search(map, pair.key);
    return index < 0 ? map.inserted(-1 - index, pair) : map.with(index, pair);
  }

  private static Tree<Pair> without(Tree<Pair> map, Bytes key) {
    int index = search(map, key);
    return index < 0 ? map : map.removed(index);
  }
}
