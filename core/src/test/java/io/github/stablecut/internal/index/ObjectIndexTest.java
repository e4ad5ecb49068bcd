package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The versions that are kept when effects are dropped. */
final class ObjectIndexTest {
  private static final Bytes ID = Bytes.utf8("k");

  private final ObjectIndex index = new ObjectIndex(true);

  private static VectorClock at(long time) {
    return VectorClock.of(time);
  }

  private void append(long time) {
    EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
    index.append(
        ID, IndexedEffect.inJournal(new Commit(origin, VectorClock.ZERO, 1), PnCounter.TYPE, 0, 8));
  }

  private void offer(long since, long at) {
    index.offer(ID, new Version(PnCounter.TYPE, at(since), at(at), 1L, 8));
  }

  /** The times up to which the kept versions are complete, newest first. */
  private Optional<VectorClock> keptAt(long snapshot) {
    return index.get(ID).flatMap(entry -> entry.content().base(at(snapshot))).map(Version::at);
  }

  @Test
  void dropsAVersionWithoutTheDroppedEffects() {
    append(10);
    offer(10, 10);
    append(20);

    index.dropThrough(at(20));

    assertThat(keptAt(20)).isEmpty();
    assertThat(index.size()).isZero();
  }

  @Test
  void keepsAVersionWithAllDroppedEffectsAsCompleteUpToThere() {
    append(10);
    offer(10, 12);
    append(40);

    index.dropThrough(at(30));

    assertThat(keptAt(30)).contains(at(30));
  }

  @Test
  void aVersionNewerThanTheDroppedEffectsStaysUnchanged() {
    append(10);
    append(20);
    offer(20, 25);

    index.dropThrough(at(15));

    assertThat(keptAt(25)).contains(at(25));
    assertThat(keptAt(15)).isEmpty();
  }

  @Test
  void doesNotKeepAVersionBelowTheDroppedEffects() {
    index.dropThrough(at(20));
    offer(10, 19);

    assertThat(index.size()).isZero();
  }

  @Test
  void doesNotReplaceAVersionByAnOlderOne() {
    append(10);
    append(20);
    offer(20, 20);
    offer(10, 10);

    assertThat(keptAt(20)).contains(at(20));
    assertThat(keptAt(15)).isEmpty();
  }

  @Test
  void doesNotExtendAVersionOverAnEffectThatOnlyItsJoinWithTheDroppedVectorSees() {
    VectorClock complete = VectorClock.ofEntries(30, 5);
    append(10);
    EffectOrigin origin = new EffectOrigin(0, 25, VectorClock.ofEntries(0, 8));
    index.append(
        ID,
        IndexedEffect.inJournal(
            new Commit(origin, VectorClock.ofEntries(0, 8), 2), PnCounter.TYPE, 0, 8));
    index.offer(ID, new Version(PnCounter.TYPE, at(10), complete, 1L, 8));

    index.dropThrough(VectorClock.ofEntries(20, 10));

    assertThat(index.get(ID).orElseThrow().content().base(VectorClock.ofEntries(30, 10))).isEmpty();
  }

  @Test
  void aReaderWaitsForAnIntentByTheOwnEntryOfItsSnapshot() {
    LocalDataCentre local = new LocalDataCentre(1);
    VectorClock durable = VectorClock.ofEntries(50, 50);
    index.announce(ID, new Intent(new TransactionId(0, 1, 1), 10, PnCounter.TYPE));
    ObjectContent content = index.get(ID).orElseThrow().content();

    assertThat(content.isAwaited(local, durable, VectorClock.ofEntries(20, 9))).isFalse();
    assertThat(content.isAwaited(local, durable, VectorClock.ofEntries(0, 10))).isTrue();
  }
}
