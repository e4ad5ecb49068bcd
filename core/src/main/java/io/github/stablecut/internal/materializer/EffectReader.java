package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EffectTable;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Reads effects from the journal by position. Positions that the index and the checkpoints contain
 * after this reader was created remain readable until it is closed. Thread-safe.
 */
final class EffectReader implements AutoCloseable {
  /** The record size in bytes from which a table of the record's effects is built. */
  private static final int LARGE = 4 << 10;

  private final JournalView journal;
  private final RecentRecords recent;

  /**
   * @param recent recently read records
   */
  EffectReader(Journal journal, RecentRecords recent) {
    this.journal = journal.view();
    this.recent = recent;
  }

  /** Returns an effect from memory or the journal. */
  Object effect(IndexedEffect effect) {
    Optional<Object> kept = effect.effect();
    return kept.isPresent() ? kept.get() : read(effect);
  }

  /** Reads an effect that was evicted from memory. */
  private Object read(IndexedEffect effect) {
    long position = effect.commit().position();
    Optional<EffectTable> kept = recent.get(position);
    if (kept.isPresent()) {
      return CallTypes.decodeEffect(effect.type(), kept.get().effect(effect.ordinal()));
    }
    byte[] body = journal.read(position).body();
    return CallTypes.decodeEffect(
        effect.type(),
        body.length < LARGE
            ? TransactionRecord.readEffect(body, position, effect.ordinal())
            : open(body, position).effect(effect.ordinal()));
  }

  private EffectTable open(byte[] body, long position) {
    EffectTable opened = new EffectTable(body, position);
    recent.offer(position, opened);
    return opened;
  }

  /**
   * Scans the whole journal.
   *
   * @return the positions of the transactions that wrote an object, and that a snapshot sees and a
   *     base lacks
   */
  long[] positionsOf(Bytes id, VectorClock base, VectorClock snapshot) {
    List<Long> positions = new ArrayList<>();
    filter(
        base,
        snapshot,
        (commit, of) -> {
          if (of.equals(id)) {
            positions.add(commit.position());
          }
        });
    return positions.stream().mapToLong(Long::longValue).distinct().toArray();
  }

  /** Visits the writes of all transactions that a snapshot sees and a base lacks. */
  void filter(VectorClock base, VectorClock snapshot, BiConsumer<Commit, Bytes> visitor) {
    journal.scan(
        0,
        stored -> {
          if (stored.kind() == RecordKind.TRANSACTION) {
            TransactionRecord.read(
                stored.body(),
                stored.position(),
                (commit, ordinal, id, effect) -> {
                  if (commit.isVisibleAt(snapshot) && !commit.isVisibleAt(base)) {
                    visitor.accept(commit, id);
                  }
                });
          }
        });
  }

  /** Returns the effects on an object in the transactions at these positions. */
  List<IndexedEffect> effectsOf(Bytes id, long[] positions) {
    List<IndexedEffect> found = new ArrayList<>();
    for (long position : positions) {
      EffectTable effects =
          recent.get(position).orElseGet(() -> open(journal.read(position).body(), position));
      effects.forEach(
          id,
          (commit, ordinal, of, effect) ->
              found.add(
                  IndexedEffect.inJournal(
                      commit, CrdtCodec.typeOf(effect), ordinal, effect.remaining())));
    }
    return found;
  }

  @Override
  public void close() {
    journal.close();
  }
}
