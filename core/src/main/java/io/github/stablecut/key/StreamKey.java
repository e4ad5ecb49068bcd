package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.StreamQuestion;
import io.github.stablecut.crdt.stream.EntryStream;
import io.github.stablecut.crdt.stream.StreamFold;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TrimmedException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a stream of entries ({@link EntryStream}): a log to which any number of clients
 * append, and which they read at any position. The first entry ever is at position 0; positions are
 * consecutive and final, and survive trimming. A transaction that appends to several streams does
 * so atomically, and a snapshot sees all streams at one point of the store's history.
 *
 * <pre>{@code
 * StreamKey<String> log = Key.stream("logs", "audit", Codec.string());
 * store.update(log.append("eve came in"));
 * long tail = store.read(log.tail());                      // 1
 * List<String> entries = store.read(log.slice(0, tail)).entries();
 * store.update(log.trim(tail));                            // the next entry is at position 1
 * }</pre>
 *
 * <p>The cost of a read depends only on the number of entries read. Appends are independent of each
 * other: transactions that append to one stream do not conflict unless they have read it, or one
 * certifies its {@linkplain io.github.stablecut.option.Certification#WRITES writes}.
 *
 * @param <T> the entries
 */
public final class StreamKey<T> extends Key<StreamView<T>> {
  private final Codec<T> entries;

  StreamKey(ObjectPath path, Codec<T> entries) {
    super(path, EntryStream.TYPE, value -> new StreamView<>(value, entries));
    this.entries = Objects.requireNonNull(entries, "codec");
  }

  /** Appends an entry. */
  public Update append(T entry) {
    return appendAll(List.of(entry));
  }

  /** Appends entries, in order. */
  public Update appendAll(Collection<? extends T> appended) {
    return updateBy(new EntryStream.Append(encoded(appended), false));
  }

  /**
   * Appends entries if no transaction has changed the stream since the snapshot of the executing
   * transaction. Otherwise its commit throws {@link ConflictException} and leaves nothing in the
   * journal. This is the conditional token of the paper's sequencer. {@link Store#update} retries
   * after conflicts.
   */
  public Update appendIfUnchanged(Collection<? extends T> appended) {
    return updateBy(new EntryStream.Append(encoded(appended), true));
  }

  private List<Bytes> encoded(Collection<? extends T> appended) {
    return appended.stream().map(entries::encode).toList();
  }

  /**
   * Trims the entries before a position; the next checkpoints release their space. Executing it
   * throws {@link OperationRefusedException} if the position is beyond the committed entries that
   * the transaction sees. Readers of older snapshots still see the trimmed entries.
   *
   * @param before the position of the first entry that remains
   */
  public Update trim(long before) {
    return updateBy(new EntryStream.Trim(before, Optional.empty()));
  }

  /**
   * Like {@link #trim(long)}, with a summary that replaces the trimmed entries: {@link
   * StreamFold#begin} receives it. The trim is certified. If an entry of another data centre before
   * the position arrives later, it is trimmed at once, and the summary does not cover it.
   */
  public Update trim(long before, Bytes summary) {
    return updateBy(new EntryStream.Trim(before, Optional.of(summary)));
  }

  /**
   * The position after the last entry, which the next one receives: the paper's check operation.
   */
  public Query<Long> tail() {
    return ask(new StreamQuestion.Tail());
  }

  /** The first position that is not trimmed. */
  public Query<Long> first() {
    return ask(new StreamQuestion.First());
  }

  /**
   * The entry at a position; empty if there is none yet. Reading it throws {@link TrimmedException}
   * if the position was trimmed.
   *
   * @param position at least 0
   */
  public Query<Optional<T>> get(long position) {
    return ask(
        new StreamQuestion.Entries(position, position + 1),
        part -> {
          StreamView.checkKept(this, position, part.first());
          return part.entries().stream().findFirst().map(entries::decode);
        },
        entry ->
            new StreamQuestion.Slice(
                position, position, entry.stream().map(entries::encode).toList()));
  }

  /**
   * The entries from one position up to another; fewer if the stream ends earlier, or starts later
   * after a trim.
   *
   * @param from at least 0
   * @param to exclusive; at most {@value Question#MAX_ITEMS} above {@code from}
   */
  public Query<StreamSlice<T>> slice(long from, long to) {
    return ask(
        new StreamQuestion.Entries(from, to),
        part ->
            new StreamSlice<>(
                Math.max(from, part.first()),
                part.first(),
                part.tail(),
                part.entries().stream().<T>map(entries::decode).toList()),
        slice ->
            new StreamQuestion.Slice(
                slice.first(),
                slice.tail(),
                slice.entries().stream().map(entries::encode).toList()));
  }

  /**
   * Folds the whole stream. The result stays in memory with the stream, so an embedded store folds
   * each entry about once.
   */
  public <S> Query<S> folded(StreamFold<S> fold) {
    return new ViewKey<>(path(), EntryStream.TYPE, EntryStream.folded(fold));
  }

  @Override
  StreamKey<T> at(ObjectPath other) {
    return new StreamKey<>(other, other.codec(entries));
  }
}
