package io.github.stablecut.crdt.stream;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.stream.StreamMemo.FoldResult;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A stream as a reader at a snapshot sees it: a view that shares the memory of the state. Access by
 * position takes logarithmic time, each further entry constant time. Immutable.
 */
public final class StreamValue {
  private final EntryStream.State state;

  public StreamValue(EntryStream.State state) {
    this.state = state;
  }

  public void write(Encoder out) {
    EntryStream.TYPE.writeState(state, out);
  }

  /** The first position that is not trimmed: that of the first entry, if any. */
  public long first() {
    return state.first();
  }

  /** The position after the last entry, which the next entry will get. */
  public long tail() {
    return state.tail();
  }

  /** The position after the last entry of a committed transaction. */
  public long committedTail() {
    return state.first() + state.committed();
  }

  /** The total length of the remaining entries in bytes. */
  public long bytes() {
    return state.bytes();
  }

  /** The summary of the trimmed entries. */
  public Optional<Bytes> summary() {
    return state.summary();
  }

  /**
   * The entries from one position (inclusive) to another (exclusive); fewer if the stream begins
   * later or ends earlier.
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

  /** Folds the whole stream, resuming from the cached result. */
  @SuppressWarnings("unchecked") // the same fold created the cached result
  public <S> S fold(StreamFold<S> fold) {
    Optional<FoldResult> cached = state.memo().of(fold).filter(last -> last.tail() >= first());
    S result = cached.isPresent() ? (S) cached.get().result() : fold.begin(summary());
    int from = index(cached.map(FoldResult::tail).orElse(first()));
    if (from == state.entries().size() && cached.isPresent()) {
      return result;
    }
    result = foldRange(fold, result, from, state.entries().size());
    state.memo().keep(new FoldResult(fold, tail(), Objects.requireNonNull(result)));
    return result;
  }

  /**
   * Folds the entries before a position.
   *
   * @throws IndexOutOfBoundsException if the position is before {@link #first} or after {@link
   *     #tail}
   */
  public <S> S foldBefore(StreamFold<S> fold, long position) {
    if (position < first() || position > tail()) {
      throw new IndexOutOfBoundsException(
          "position %3$,d is outside the stream, which has positions %1$,d to %2$,d"
              .formatted(first(), tail(), position));
    }
    return foldRange(fold, fold.begin(summary()), 0, index(position));
  }

  private <S> S foldRange(StreamFold<S> fold, S begin, int from, int to) {
    S result = begin;
    Iterator<Map.Entry<Dot, Bytes>> missing = iterator(from, to);
    while (missing.hasNext()) {
      result = fold.next(result, missing.next().getValue());
    }
    return result;
  }

  /** Whether both have the same entries at the same positions and the same summary. */
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
            first(), summary().map(text -> " after " + text).orElse(""), entries(first(), tail()));
  }
}
