package io.github.stablecut.causality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Comparator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Dots are ordered by time, and those of an open transaction come last. */
class DotProperties {
  @Provide
  Arbitrary<Dot> dots() {
    Arbitrary<Integer> small = Arbitraries.integers().between(0, 2);
    Arbitrary<Dot> committed =
        Combinators.combine(small, small, small)
            .as((dataCentre, time, index) -> new Dot(dataCentre, time, index));
    return Arbitraries.oneOf(committed, small.map(Dot::self));
  }

  @Property
  void isOrderedByTimeThenDataCentreThenIndex(@ForAll("dots") Dot one, @ForAll("dots") Dot other) {
    int expected =
        Comparator.comparingLong(Dot::time)
            .thenComparingInt(Dot::dataCentre)
            .thenComparingInt(Dot::index)
            .compare(one, other);

    assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(expected));
    assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
  }

  @Property
  void keepsTheOrderOfAnOpenTransactionWhenItCommitsLast(
      @ForAll("dots") Dot one, @ForAll("dots") Dot other) {
    int before = Integer.signum(one.compareTo(other));
    int after = Integer.signum(one.resolve(5, 3).compareTo(other.resolve(5, 3)));

    assertThat(after).isEqualTo(before);
  }

  @Property
  void isInTheSnapshotsThatReachItsTime(@ForAll("dots") Dot dot) {
    VectorClock vector = VectorClock.ofEntries(0, 1, 2);

    assertThat(dot.isAtOrBefore(vector))
        .isEqualTo(!dot.isSelf() && dot.time() <= vector.get(dot.dataCentre()));
  }

  @Example
  void becomesAnEventOfItsTransaction() {
    assertThat(Dot.self(7).resolve(2, 9)).isEqualTo(new Dot(2, 9, 7));
    assertThat(new Dot(1, 4, 7).resolve(2, 9)).isEqualTo(new Dot(1, 4, 7));
    assertThat(Dot.self(7).plus(3)).isEqualTo(Dot.self(10));
  }

  @Example
  void refusesInvalidDots() {
    assertThatThrownBy(() -> new Dot(-2, 0, 0)).hasMessageContaining("not a dot");
    assertThatThrownBy(() -> new Dot(0, -1, 0)).hasMessageContaining("not a dot");
    assertThatThrownBy(() -> new Dot(0, 0, -1)).hasMessageContaining("not a dot");
    assertThatThrownBy(() -> new Dot(Dot.SELF, 5, 0)).hasMessageContaining("no commit time");
  }
}
