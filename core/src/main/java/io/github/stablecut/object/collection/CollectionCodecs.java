package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Codecs of the arguments and states of collections. */
public final class CollectionCodecs {
  static final Codec<Integer> INDEX =
      codec((index, out) -> out.writeUnsigned(index), Decoder::readIndex);

  /** An index, or -1 for none. */
  static final Codec<Integer> INDEX_OR_NONE =
      codec((index, out) -> out.writeUnsigned(1 + index), in -> in.readIndex() - 1);

  public static final Codec<Optional<Bytes>> OPTIONAL =
      codec((bytes, out) -> out.writeOptionalBytes(bytes), Decoder::readOptionalBytes);

  static final Codec<List<Bytes>> ALL =
      codec((all, out) -> out.writeAll(all), in -> List.copyOf(in.readAll()));

  private CollectionCodecs() {}

  static <T> Codec<T> codec(BiConsumer<T, Encoder> writer, Function<Decoder, T> reader) {
    return new Codec<>() {
      @Override
      public Bytes encode(T value) {
        return QuestionCodec.encode(out -> writer.accept(value, out));
      }

      @Override
      public T decode(Bytes bytes) {
        return QuestionCodec.decode(bytes, reader);
      }
    };
  }

  /**
   * Returns a codec of trees.
   *
   * @param minBytes the minimum size of an element, above 0
   */
  static <E> Codec<Tree<E>> tree(
      int minBytes, BiConsumer<E, Encoder> writer, Function<Decoder, E> reader) {
    return codec(
        (tree, out) -> {
          out.writeUnsigned(tree.size());
          tree.forEach(element -> writer.accept(element, out));
        },
        in -> Tree.of(List.copyOf(in.<E>readList(minBytes, reader))));
  }
}
