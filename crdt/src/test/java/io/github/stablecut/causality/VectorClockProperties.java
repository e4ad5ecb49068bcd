package io.github.stablecut.causality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Vectors are a lattice ordered entry by entry; a missing entry counts as 0. */
class VectorClockProperties {
  private static final int SIZE = 4;

  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, 3)
        .array(long[].class)
        .ofMaxSize(SIZE)
        .map(VectorClock::ofEntries);
  }

  private static long[] entries(VectorClock vector) {
    return IntStream.range(0, SIZE).mapToLong(vector::get).toArray();
  }

  @Property
  void isOrderedEntryByEntry(
      @ForAll("vectors") VectorClock one, @ForAll("vectors") VectorClock other) {
    boolean everyEntry =
        IntStream.range(0, SIZE).allMatch(dc -> entries(one)[dc] <= entries(other)[dc]);

    assertThat(one.isAtOrBefore(other)).isEqualTo(everyEntry);
  }

  @Property
  void isAPartialOrder(
      @ForAll("vectors") VectorClock a,
      @ForAll("vectors") VectorClock b,
      @ForAll("vectors") VectorClock c) {
    assertThat(a.isAtOrBefore(a)).isTrue();
    assertThat(a.isAtOrBefore(b) && b.isAtOrBefore(a)).isEqualTo(a.equals(b));
    if (a.isAtOrBefore(b) && b.isAtOrBefore(c)) {
      assertThat(a.isAtOrBefore(c)).isTrue();
    }
  }

  @Property
  void joinsToTheLeastVectorAtOrAboveBoth(
      @ForAll("vectors") VectorClock a,
      @ForAll("vectors") VectorClock b,
      @ForAll("vectors") VectorClock above) {
    VectorClock join = a.join(b);

    assertThat(a.isAtOrBefore(join) && b.isAtOrBefore(join)).isTrue();
    if (a.isAtOrBefore(above) && b.isAtOrBefore(above)) {
      assertThat(join.isAtOrBefore(above)).isTrue();
    }
    assertThat(b.join(a)).isEqualTo(join);
  }

  @Property
  void meetsInTheGreatestVectorAtOrBelowBoth(
      @ForAll("vectors") VectorClock a,
      @ForAll("vectors") VectorClock b,
      @ForAll("vectors") VectorClock below) {
    VectorClock meet = a.meet(b);

    assertThat(meet.isAtOrBefore(a) && meet.isAtOrBefore(b)).isTrue();
    if (below.isAtOrBefore(a) && below.isAtOrBefore(b)) {
      assertThat(below.isAtOrBefore(meet)).isTrue();
    }
    assertThat(b.meet(a)).isEqualTo(meet);
  }

  @Property
  void absorbs(@ForAll("vectors") VectorClock a, @ForAll("vectors") VectorClock b) {
    assertThat(a.join(a.meet(b))).isEqualTo(a);
    assertThat(a.meet(a.join(b))).isEqualTo(a);
    assertThat(a.join(VectorClock.ZERO)).isEqualTo(a);
    assertThat(a.meet(VectorClock.ZERO)).isEqualTo(VectorClock.ZERO);
  }

  @Property
  void replacesOneEntry(
      @ForAll("vectors") VectorClock vector,
      @ForAll @IntRange(max = SIZE - 1) int dataCentre,
      @ForAll @IntRange(max = 3) int time) {
    long[] expected = entries(vector);
    expected[dataCentre] = time;

    assertThat(vector.with(dataCentre, time)).isEqualTo(VectorClock.ofEntries(expected));
  }

  @Property
  void isEqualIfItsEntriesAre(
      @ForAll("vectors") VectorClock one, @ForAll("vectors") VectorClock other) {
    boolean equal = Arrays.equals(entries(one), entries(other));

    assertThat(one.equals(other)).isEqualTo(equal);
    if (equal) {
      assertThat(one).hasSameHashCodeAs(other);
    }
  }

  @Property
  void knowsItsGreatestEntry(@ForAll("vectors") VectorClock vector) {
    assertThat(vector.max()).isEqualTo(Arrays.stream(entries(vector)).max().orElse(0));
  }

  @Property
  void countsEntriesUpToTheLastAboveZero(@ForAll("vectors") VectorClock vector) {
    int size = vector.size();

    assertThat(size == 0 || vector.get(size - 1) > 0).isTrue();
    assertThat(IntStream.range(size, SIZE).allMatch(dc -> vector.get(dc) == 0)).isTrue();
  }

  @Example
  void refusesInvalidTimes() {
    assertThatThrownBy(() -> VectorClock.of(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> VectorClock.ofEntries(0, -2)).hasMessageContaining("-2");
    assertThatThrownBy(() -> VectorClock.ZERO.with(1, -3)).hasMessageContaining("-3");
  }

  @Example
  void refusesTooManyDataCentres() {
    assertThatThrownBy(() -> VectorClock.ofEntries(new long[VectorClock.MAX_DATA_CENTRES + 1]))
        .hasMessageContaining("1025");
  }
}
