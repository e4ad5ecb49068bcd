package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.record.Commit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The effects that a snapshot sees, with one data centre and with two. */
final class EffectListTest {
  private static IndexedEffect effect(int dataCentre, long time, VectorClock snapshot) {
    EffectOrigin origin = new EffectOrigin(dataCentre, time, VectorClock.ZERO);
    return IndexedEffect.inJournal(new Commit(origin, snapshot, 1), PnCounter.TYPE, 0, 8);
  }

  private static VectorClock vector(long first, long second) {
    return VectorClock.ofEntries(first, second);
  }

  @Test
  void withOneDataCentreASnapshotSeesAPrefix() {
    IndexedEffect one = effect(0, 10, VectorClock.ZERO);
    IndexedEffect two = effect(0, 20, VectorClock.of(5));
    IndexedEffect three = effect(0, 30, VectorClock.of(20));
    EffectList list = EffectList.empty().with(one).with(two).with(three);

    assertThat(list.between(VectorClock.ZERO, VectorClock.of(20))).containsExactly(one, two);
    assertThat(list.between(VectorClock.of(10), VectorClock.of(29))).containsExactly(two);
    assertThat(list.between(VectorClock.of(30), VectorClock.of(40))).isEmpty();
    assertThat(list.isAllAtOrBefore(VectorClock.of(29))).isFalse();
    assertThat(list.isAllAtOrBefore(VectorClock.of(30))).isTrue();
  }

  @Test
  void aSingleEffectIsItsOwnList() {
    IndexedEffect one = effect(0, 10, VectorClock.ZERO);

    assertThat(EffectList.empty().with(one)).isSameAs(one);
    assertThat(one.after(VectorClock.of(9))).isSameAs(one);
    assertThat(one.after(VectorClock.of(10)).isEmpty()).isTrue();
    assertThat(one.between(VectorClock.of(9), VectorClock.of(10))).containsExactly(one);
  }

  @Test
  void withTwoDataCentresEveryEntryOfTheCommitVectorCounts() {
    IndexedEffect cause = effect(0, 10, VectorClock.ZERO);
    IndexedEffect reply = effect(1, 20, vector(10, 0));
    IndexedEffect other = effect(1, 30, VectorClock.ZERO);
    EffectList list = EffectList.empty().with(cause).with(reply).with(other);

    assertThat(list.between(VectorClock.ZERO, vector(9, 30))).containsExactly(other);
    assertThat(list.between(VectorClock.ZERO, vector(10, 20))).containsExactly(cause, reply);
    assertThat(list.between(vector(10, 0), vector(10, 30))).containsExactly(reply, other);
    assertThat(list.between(vector(0, 30), vector(10, 30))).containsExactly(cause, reply);
    assertThat(list.between(VectorClock.of(10), vector(10, 20))).containsExactly(reply);
    assertThat(list.isAllAtOrBefore(vector(9, 30))).isFalse();
    assertThat(list.isAllAtOrBefore(VectorClock.of(40))).isFalse();
    assertThat(list.isAllAtOrBefore(vector(10, 30))).isTrue();
  }

  @Test
  void aLongerListDoesNotChangeAShorterOne() {
    EffectList shorter = EffectList.empty();
    for (int time = 1; time <= 100; time++) {
      EffectList longer = shorter.with(effect(0, time, VectorClock.ZERO));
      assertThat(shorter.size()).isEqualTo(time - 1);
      assertThat(shorter.between(VectorClock.ZERO, VectorClock.of(200))).hasSize(time - 1);
      shorter = longer;
    }
  }

  @Test
  void aVersionServesEverySnapshotThatSeesAllItsEffects() {
    Version version = new Version(PnCounter.TYPE, VectorClock.of(10), VectorClock.of(20), 1L, 8);

    assertThat(version.canServe(VectorClock.of(9))).isFalse();
    assertThat(List.of(VectorClock.of(10), VectorClock.of(20), VectorClock.of(30)))
        .allMatch(version::canServe);
  }
}
