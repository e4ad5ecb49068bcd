package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.index.EffectList;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import java.util.List;
import java.util.Optional;

/**
 * Folds effects onto a version that was read before (report section 2.4). Lazy: an effect is folded
 * by the first reader that sees it and is then part of the version that the next reader starts
 * from, so that reads cost a constant per write, whatever the length of the journal. A read of an
 * object that nothing was done to since the last read is two look-ups: no lock, no I/O, no copy.
 *
 * <p>Any base whose effects the snapshot all sees gives the same answer, because what is visible is
 * closed under causality.
 */
public final class Materializer implements VersionSource {
  private final ObjectIndex index;
  private final Journal journal;

  /**
   * @param journal read for effects that are not in memory any more
   */
  public Materializer(ObjectIndex index, Journal journal) {
    this.index = index;
    this.journal = journal;
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    Optional<ObjectEntry> found = index.get(id);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ObjectEntry entry = found.get();
    Optional<Version> base = entry.base(snapshot);
    EffectList effects = entry.effects();
    if (base.isPresent() && effects.isAllAtOrBefore(base.get().at())) {
      return base;
    }
    return Optional.of(fold(entry, base.orElseGet(() -> initial(entry.type())), effects, snapshot));
  }

  private static Version initial(CrdtType<?, ?, ?, ?> type) {
    return new Version(type, VectorClock.ZERO, VectorClock.ZERO, type.initial());
  }

  private Version fold(ObjectEntry entry, Version base, EffectList effects, VectorClock snapshot) {
    List<IndexedEffect> missing = effects.between(base.at(), snapshot);
    if (missing.isEmpty() && snapshot.isAtOrBefore(base.at())) {
      return base;
    }
    Object state = base.state();
    VectorClock since = base.since();
    for (IndexedEffect effect : missing) {
      Object applied = effect.effect().orElseGet(() -> read(entry.type(), effect));
      state = Folding.apply(entry.type(), state, applied, effect.commit().origin());
      since = since.join(effect.commit().vector());
    }
    Version version = new Version(entry.type(), since, snapshot, state);
    entry.offer(version);
    return version;
  }

  private Object read(CrdtType<?, ?, ?, ?> type, IndexedEffect effect) {
    long position = effect.commit().position();
    return Folding.decodeEffect(
        type,
        TransactionRecord.readEffect(journal.read(position).body(), position, effect.ordinal()));
  }
}
