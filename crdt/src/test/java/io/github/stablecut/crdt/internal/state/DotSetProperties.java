package io.github.stablecut.crdt.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A set of dots equals a {@link TreeSet} of them, with none, one or more. */
class DotSetProperties {
  private static final EffectOrigin ORIGIN = new EffectOrigin(1, 2, VectorClock.of(1));

  /** Few dots, including self dots, so that sets overlap. */
  @Provide
  Arbitrary<List<Dot>> dots() {
    Arbitrary<Dot> committed =
        Combinators.combine(
                Arbitraries.integers().between(0, 1),
                Arbitraries.longs().between(1, 3),
                Arbitraries.integers().between(0, 1))
            .as(Dot::new);
    Arbitrary<Dot> self = Arbitraries.integers().between(0, 1).map(Dot::self);
    return Arbitraries.oneOf(committed, committed, committed, self).list().ofMaxSize(4);
  }

  private static DotSet setOf(List<Dot> dots) {
    DotSet set = DotSet.EMPTY;
    for (Dot dot : dots) {
      set = set.with(dot);
    }
    return set;
  }

  private static void assertSame(DotSet set, Set<Dot> plain) {
    assertThat(set).containsExactlyElementsOf(plain);
    assertThat(set.size()).isEqualTo(plain.size());
    assertThat(set.isEmpty()).isEqualTo(plain.isEmpty());
    assertThat(set).isEqualTo(setOf(List.copyOf(plain))).hasToString(plain.toString());
    assertThat(set.hashCode()).isEqualTo(setOf(List.copyOf(plain)).hashCode());
  }

  @Property
  void containsAddedDots(@ForAll("dots") List<Dot> dots, @ForAll("dots") List<Dot> asked) {
    assertSame(setOf(dots), new TreeSet<>(dots));
    for (Dot dot : asked) {
      assertThat(setOf(dots).contains(dot)).isEqualTo(dots.contains(dot));
    }
    assertThat(setOf(dots).equals(setOf(asked)))
        .isEqualTo(new TreeSet<>(dots).equals(new TreeSet<>(asked)));
  }

  @Property
  void resolvesItsSelfDots(@ForAll("dots") List<Dot> dots) {
    EffectOrigin later = new EffectOrigin(1, 9, VectorClock.ZERO);

    assertSame(
        setOf(dots).resolve(later), new TreeSet<>(dots.stream().map(later::resolve).toList()));
  }

  @Property
  void losesDotsThatAnEffectObserved(
      @ForAll("dots") List<Dot> dots, @ForAll("dots") List<Dot> listed) {
    TreeSet<Dot> kept = new TreeSet<>(dots);
    kept.removeAll(listed.stream().map(ORIGIN::resolve).toList());
    kept.removeIf(ORIGIN::hadPruned);
    DotSet set = setOf(dots);

    assertSame(set.withoutObserved(setOf(listed), ORIGIN), kept);
    assertThat(set.withoutObserved(set, ORIGIN).isEmpty()).isTrue();
  }

  @Property
  void losesDotsAtOrBeforeAFrontier(@ForAll("dots") List<Dot> dots) {
    VectorClock frontier = VectorClock.of(2);
    TreeSet<Dot> kept = new TreeSet<>(dots);
    kept.removeIf(dot -> dot.isAtOrBefore(frontier));

    assertSame(setOf(dots).without(frontier), kept);
  }
}
