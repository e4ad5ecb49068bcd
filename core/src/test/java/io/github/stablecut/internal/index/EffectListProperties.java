package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What the list finds by its order is what looking at every effect finds. */
final class EffectListProperties {
  private static final int MAX = 40;

  private static IndexedEffect effect(int time, boolean isElsewhere) {
    EffectOrigin origin = new EffectOrigin(isElsewhere ? 1 : 0, time, VectorClock.ZERO);
    return new IndexedEffect(new Commit(origin, VectorClock.ZERO, 1), 0, null);
  }

  @Property
  void withOneDataCentre(
      @ForAll @Size(max = 20) List<@IntRange(min = 1, max = MAX) Integer> times,
      @ForAll @IntRange(max = MAX) int base,
      @ForAll @IntRange(max = MAX) int snapshot) {
    compare(
        times.stream().distinct().map(time -> effect(time, false)).toList(),
        VectorClock.of(base),
        VectorClock.of(snapshot));
  }

  @Property
  void withTwoDataCentres(
      @ForAll @Size(max = 20) List<@IntRange(min = 1, max = MAX) Integer> times,
      @ForAll @Size(2) List<@IntRange(max = MAX) Integer> base,
      @ForAll @Size(2) List<@IntRange(max = MAX) Integer> snapshot) {
    compare(
        times.stream().distinct().map(time -> effect(time, time % 3 == 0)).toList(),
        VectorClock.ofEntries(base.get(0), base.get(1)),
        VectorClock.ofEntries(snapshot.get(0), snapshot.get(1)));
  }

  private static void compare(List<IndexedEffect> all, VectorClock base, VectorClock snapshot) {
    EffectList list = EffectList.EMPTY;
    for (IndexedEffect effect : all) {
      list = list.with(effect);
    }
    List<IndexedEffect> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingLong(effect -> effect.commit().time()));
    Predicate<IndexedEffect> inBase = effect -> effect.commit().isVisibleAt(base);
    Predicate<IndexedEffect> inSnapshot = effect -> effect.commit().isVisibleAt(snapshot);
    List<IndexedEffect> later = sorted.stream().filter(inBase.negate()).toList();

    assertThat(list.between(base, snapshot))
        .isEqualTo(sorted.stream().filter(inBase.negate()).filter(inSnapshot).toList());
    assertThat(list.notIn(base)).isEqualTo(later);
    assertThat(list.isAllAtOrBefore(base)).isEqualTo(later.isEmpty());
    assertThat(list.lastTime())
        .isEqualTo(sorted.isEmpty() ? 0 : sorted.get(sorted.size() - 1).commit().time());
    EffectList rest = list.after(base);
    assertThat(rest.notIn(VectorClock.ZERO)).isEqualTo(later);
    assertThat(rest.size()).isEqualTo(later.size());
    IndexedEffect newest = effect(MAX + 1, false);
    assertThat(rest.with(newest).notIn(base)).hasSize(later.size() + 1).endsWith(newest);
  }
}
