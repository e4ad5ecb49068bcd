package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The list's ordered lookup finds exactly the effects that a full scan finds. */
final class EffectListProperties {
  private static final int MAX = 40;

  private static IndexedEffect effect(int time, boolean isElsewhere) {
    EffectOrigin origin = new EffectOrigin(isElsewhere ? 1 : 0, time, VectorClock.ZERO);
    return IndexedEffect.inJournal(new Commit(origin, VectorClock.ZERO, 1), PnCounter.TYPE, 0, 8);
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

  /** An effect of any of three data centres, whose transaction has seen some of all. */
  private record AnyEffect(int dataCentre, int time, List<Integer> seen) {
    IndexedEffect effect() {
      EffectOrigin origin = new EffectOrigin(dataCentre, time, VectorClock.ZERO);
      return IndexedEffect.inJournal(
          new Commit(origin, vector(seen, time - 1), 1), PnCounter.TYPE, 0, 8);
    }
  }

  private static VectorClock vector(List<Integer> entries, int most) {
    return VectorClock.ofEntries(
        entries.stream().mapToLong(entry -> Math.min(entry, most)).toArray());
  }

  @Provide
  Arbitrary<List<IndexedEffect>> effectsOfThree() {
    Arbitrary<List<Integer>> seen = Arbitraries.integers().between(0, MAX).list().ofSize(3);
    return Combinators.combine(
            Arbitraries.integers().between(0, 2), Arbitraries.integers().between(1, MAX), seen)
        .as(AnyEffect::new)
        .list()
        .ofMaxSize(20)
        .uniqueElements(any -> List.of(any.dataCentre, any.time))
        .map(all -> all.stream().map(AnyEffect::effect).toList());
  }

  @Property
  void withThreeDataCentres(
      @ForAll("effectsOfThree") List<IndexedEffect> effects,
      @ForAll @Size(3) List<@IntRange(max = MAX) Integer> base,
      @ForAll @Size(3) List<@IntRange(max = MAX) Integer> snapshot) {
    compare(effects, vector(base, MAX), vector(snapshot, MAX));
  }

  private static void compare(List<IndexedEffect> all, VectorClock base, VectorClock snapshot) {
    EffectList list = EffectList.empty();
    for (IndexedEffect effect : all) {
      list = list.with(effect);
    }
    List<IndexedEffect> sorted = new ArrayList<>(all);
    sorted.sort(
        Comparator.comparingLong((IndexedEffect effect) -> effect.commit().time())
            .thenComparingInt(effect -> effect.commit().origin().dataCentre()));
    Predicate<IndexedEffect> inBase = effect -> effect.commit().isVisibleAt(base);
    Predicate<IndexedEffect> inSnapshot = effect -> effect.commit().isVisibleAt(snapshot);
    List<IndexedEffect> later = sorted.stream().filter(inBase.negate()).toList();

    assertThat(list.between(base, snapshot))
        .isEqualTo(sorted.stream().filter(inBase.negate()).filter(inSnapshot).toList());
    assertThat(list.notIn(base)).isEqualTo(later);
    assertThat(list.isAllAtOrBefore(base)).isEqualTo(later.isEmpty());
    assertThat(list.join())
        .isEqualTo(
            all.stream()
                .map(effect -> effect.commit().vector())
                .reduce(VectorClock.ZERO, VectorClock::join));
    for (int dataCentre = 0; dataCentre < 3; dataCentre++) {
      int of = dataCentre;
      assertThat(list.isAllVisible(base, of))
          .isEqualTo(later.stream().noneMatch(each -> each.commit().origin().dataCentre() == of));
    }
    EffectList rest = list.after(base);
    assertThat(rest.notIn(VectorClock.ZERO)).isEqualTo(later);
    assertThat(rest.size()).isEqualTo(later.size());
    IndexedEffect newest = effect(MAX + 1, false);
    assertThat(rest.with(newest).notIn(base)).hasSize(later.size() + 1).endsWith(newest);
  }
}
