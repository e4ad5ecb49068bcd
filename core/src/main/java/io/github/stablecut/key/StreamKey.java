package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EntryStream;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.StreamFold;
import io.github.stablecut.crdt.StreamQuestion;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TrimmedException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a stream of entries ({@link EntryStream}): a log of its own that any number of
 * clients append to and read at random. The first entry ever is at position 0; positions are dense,
 * final, and survive trimming. A transaction that appends to several streams does so atomically,
 * and a snapshot sees all streams at one point of the store's history.
 *
 * <pre>{@code
 * StreamKey<String> log = Key.stream("logs", "audit", Codec.string());
 * store.update(log.append("eve came in"));
 * long tail = store.read(log.tail());                      // 1
 * List<String> entries = store.read(log.slice(0, tail)).entries();
 * store.update(log.trim(tail));                            // the next one is at position 1
 * }</pre>
 *
 * <p>The cost of reading a part depends on its size only. Appending depends on nothing:
 * transactions that append to one stream do not conflict, however they are certified, unless they
 * have read it.
 *
 * @param <T> the entries
 */
public final class StreamKey<T> extends Key<StreamView<T>> {
  private final Codec<T> entries;

  StreamKey(ObjectPath place, Codec<T> entries) {
    super(place, EntryStream.TYPE, value -> new StreamView<>(value, entries));
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
   * Appends entries if no transaction has changed the stream since the snapshot of the one that
   * executes this, which otherwise gets {@link ConflictException} and leaves nothing in the
   * journal: the conditional token of the paper's sequencer. {@link Store#update} tries again by
   * itself.
   */
  public Update appendIfUnchanged(Collection<? extends T> appended) {
    return updateBy(new EntryStream.Append(encoded(appended), true));
  }

  private List<Bytes> encoded(Collection<? extends T> appended) {
    return appended.stream().map(entries::encode).toList();
  }

  /**
   * Lets go of the entries before a position; their room is free after the next checkpoints. A
   * transaction that executes it is told by {@link OperationRefusedException} if the position is
   * beyond the committed entries that it sees. Readers of older snapshots still see them.
   *
   * @param before the position of the first entry that stays
   */
  public Update trim(long before) {
    return updateBy(new EntryStream.Trim(before, Optional.empty()));
  }

  /**
   * As {@link #trim(long)}, with something that the stream says in their place: what {@link
   * StreamFold#begin} gets. It is certified. An entry of another data centre that arrives later and
   * is before the position goes at once, and the summary does not speak of it.
   */
  public Update trim(long before, Bytes summary) {
    return updateBy(new EntryStream.Trim(before, Optional.of(summary)));
  }

  /** The position after the last entry, which the next one gets: the check of the paper. */
  public Query<Long> tail() {
    return ask(new StreamQuestion.Tail());
  }

  /** The first position that was not trimmed. */
  public Query<Long> first() {
    return ask(new StreamQuestion.First());
  }

  /**
   * The entry at a position; empty if there is none yet. A reader is told by {@link
   * TrimmedException} if it was trimmed.
   *
   * @param position 0 or more
   */
  public Query<Optional<T>> get(long position) {
    return ask(
        new StreamQuestion.Entries(position, position + 1),
        part -> {
          StreamView.checkKept(this, position, part.first());
          return part.entries().stream().findFirst().map(entries::decode);
        },
        entry ->
            new StreamQuestion.Part(
                position, position, entry.stream().map(entries::encode).toList()));
  }

  /**
   * The entries from a position on up to another: fewer if the stream ends before, or begins later
   * because it was trimmed.
   *
   * @param from 0 or more
   * @param to exclusive; at most {@value Question#MAX_ITEMS} more
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
            new StreamQuestion.Part(
                slice.first(),
                slice.tail(),
                slice.entries().stream().map(entries::encode).toList()));
  }

  /**
   * What a fold makes of the whole stream. The result stays in memory beside the stream, so on an
   * embedded store each entry is folded about once.
   */
  public <S> Query<S> folded(StreamFold<S> fold) {
    return new ViewKey<>(place(), EntryStream.TYPE, EntryStream.folded(fold));
  }

  @Override
  StreamKey<T> at(ObjectPath other) {
    return new StreamKey<>(other, other.codec(entries));
  }
}
