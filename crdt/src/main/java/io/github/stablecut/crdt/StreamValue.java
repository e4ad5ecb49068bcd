package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.StreamMemo.Made;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A stream as a reader of a snapshot sees it: a view that shares the memory of the state. Finding
 * an entry by its position takes logarithmic time, the step of an iterator constant time.
 * Immutable.
 */
public final class StreamValue {
  private final EntryStream.State state;

  StreamValue(EntryStream.State state) {
    this.state = state;
  }

  void write(Encoder out) {
    EntryStream.TYPE.writeState(state, out);
  }

  /** The first position that was not trimmed: that of the first entry, if there is one. */
  public long first() {
    return state.first();
  }

  /** The position after the last entry: that of the next one. */
  public long tail() {
    return state.tail();
  }

  /** The position after the last entry of a committed transaction. */
  public long committedTail() {
    return state.first() + state.committed();
  }

  /** How many bytes the entries have that were not trimmed. */
  public long bytes() {
    return state.bytes();
  }

  /** What the stream says of the entries that were trimmed. */
  public Optional<Bytes> summary() {
    return state.summary();
  }

  /**
   * The entries from a position on up to another; fewer if the stream begins after the one or ends
   * before the other.
   */
  public List<Bytes> entries(long from, long to) {
    int begin = index(from);
    int end = Math.max(begin, index(to));
    List<Bytes> entries = new ArrayList<>(end - begin);
    iterator(begin, end).forEachRemaining(entry -> entries.add(entry.getValue()));
    return List.copyOf(entries);
  }

  private int index(long position) {
    return (int) Math.min(Math.max(0, position - first()), state.entries().size());
  }

  private Iterator<Map.Entry<Dot, Bytes>> iterator(int from, int to) {
    return state.entries().visible(from, to, false);
  }

  /** What a fold makes of the whole stream. */
  @SuppressWarnings("unchecked") // a fold has made it
  public <S> S fold(StreamFold<S> fold) {
    Optional<Made> known = state.memo().of(fold).filter(made -> made.tail() >= first());
    S made = known.isPresent() ? (S) known.get().result() : fold.begin(summary());
    int from = index(known.map(Made::tail).orElse(first()));
    if (from == state.entries().size() && known.isPresent()) {
      return made;
    }
    made = folded(fold, made, from, state.entries().size());
    state.memo().keep(new Made(fold, tail(), Objects.requireNonNull(made)));
    return made;
  }

  /**
   * What a fold makes of the entries before a position.
   *
   * @throws IndexOutOfBoundsException if entries before it were trimmed, or if the stream ends
   *     before it
   */
  public <S> S foldBefore(StreamFold<S> fold, long position) {
    if (position < first() || position > tail()) {
      throw new IndexOutOfBoundsException(
          "the stream is kept from position %,d to %,d, not at %,d"
              .formatted(first(), tail(), position));
    }
    return folded(fold, fold.begin(summary()), 0, index(position));
  }

  private <S> S folded(StreamFold<S> fold, S begin, int from, int to) {
    S made = begin;
    Iterator<Map.Entry<Dot, Bytes>> missing = iterator(from, to);
    while (missing.hasNext()) {
      made = fold.next(made, missing.next().getValue());
    }
    return made;
  }

  /** Whether both have the same entries at the same positions, and say the same of earlier ones. */
  @Override
  public boolean equals(Object other) {
    return other instanceof StreamValue that
        && first() == that.first()
        && summary().equals(that.summary())
        && entries(first(), tail()).equals(that.entries(that.first(), that.tail()));
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(first()) + entries(first(), tail()).hashCode();
  }

  @Override
  public String toString() {
    return "%d%s: %s"
        .formatted(
            first(), summary().map(said -> " after " + said).orElse(""), entries(first(), tail()));
  }
}
