package io.github.stablecut.key;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.error.TrimmedException;
import java.util.List;
import java.util.Optional;

/**
 * A stream at one snapshot: a view that shares the memory of the state, and decodes entries on
 * access. Immutable.
 *
 * @param <T> the entries
 */
public final class StreamView<T> {
  private final StreamValue stream;
  private final Codec<T> codec;

  StreamView(StreamValue stream, Codec<T> codec) {
    this.stream = stream;
    this.codec = codec;
  }

  /** The first position that is not trimmed. */
  public long first() {
    return stream.first();
  }

  /** The position after the last entry. */
  public long tail() {
    return stream.tail();
  }

  /**
   * The entry at a position; empty if there is none yet.
   *
   * @throws TrimmedException if the position was trimmed
   */
  public Optional<T> get(long position) {
    checkKept("the stream", position, first());
    return stream.entries(position, position + 1).stream().findFirst().map(codec::decode);
  }

  /** All entries that are not trimmed, in order. */
  public List<T> entries() {
    return entries(first(), tail());
  }

  /** The entries from one position up to another, exclusive; fewer if the stream ends earlier. */
  public List<T> entries(long from, long to) {
    return new DecodedList<>(stream.entries(from, to), codec);
  }

  /** The underlying value, with the encoded entries and their folds. */
  public StreamValue value() {
    return stream;
  }

  static void checkKept(Object stream, long position, long first) {
    if (position < 0) {
      throw new IllegalArgumentException(
          "a position of a stream must be 0 or more, not " + position);
    }
    if (position < first) {
      throw new TrimmedException(
          "position %,d of %s was trimmed: the stream now begins at %,d; read from there, or read a snapshot from before the trim"
              .formatted(position, stream, first));
    }
  }

  @Override
  public String toString() {
    return "%d: %s"
        .formatted(first(), entries(first(), Math.min(tail(), first() + Question.MAX_ITEMS)));
  }
}
