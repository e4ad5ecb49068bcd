package io.github.stablecut.causality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** A time of this data centre belongs in its entry of a vector, and affects no other. */
class LocalDataCentreProperties {
  private static final int SIZE = 4;

  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, 5)
        .array(long[].class)
        .ofMaxSize(SIZE)
        .map(VectorClock::ofEntries);
  }

  @Provide
  Arbitrary<LocalDataCentre> locals() {
    return Arbitraries.integers().between(0, SIZE - 1).map(LocalDataCentre::new);
  }

  /** Asserts the entries of a vector: the own one, and the others'. */
  private static void assertEntries(
      VectorClock found, LocalDataCentre local, long own, VectorClock others) {
    for (int dataCentre = 0; dataCentre < SIZE + 1; dataCentre++) {
      long expected = dataCentre == local.number() ? own : others.get(dataCentre);
      assertThat(found.get(dataCentre)).isEqualTo(expected);
    }
  }

  @Property
  void putsATimeIntoItsEntryOnly(
      @ForAll("locals") LocalDataCentre local,
      @ForAll("vectors") VectorClock vector,
      @ForAll @LongRange(max = 5) long time) {
    long own = local.timeIn(vector);

    assertEntries(local.at(time), local, time, VectorClock.ZERO);
    assertEntries(local.with(vector, time), local, time, vector);
    assertEntries(local.raise(vector, time), local, Math.max(own, time), vector);
    assertEntries(local.lower(vector, time), local, Math.min(own, time), vector);
    assertThat(local.timeIn(local.with(vector, time))).isEqualTo(time);
  }

  @Property
  void comparesAndLowersTheEntriesOfOthersOnly(
      @ForAll("locals") LocalDataCentre local,
      @ForAll("vectors") VectorClock vector,
      @ForAll("vectors") VectorClock limit) {
    VectorClock alike = local.with(vector, 0);

    assertThat(local.othersAreAtOrBefore(vector, limit)).isEqualTo(alike.isAtOrBefore(limit));
    assertEntries(
        local.lowerOthers(vector, limit), local, local.timeIn(vector), vector.meet(limit));
  }

  @Property
  void aCommitTimeIsAboveItsTransactionsSnapshot(
      @ForAll("locals") LocalDataCentre local, @ForAll("vectors") VectorClock snapshot) {
    long time = LocalDataCentre.floorOf(snapshot) + 1;

    assertThat(snapshot.isBefore(time)).isTrue();
    assertThat(LocalDataCentre.commitTimeOf(local.with(snapshot, time))).isEqualTo(time);
  }

  @Example
  void refusesANumberThatNoVectorHas() {
    assertThat(new LocalDataCentre(VectorClock.MAX_DATA_CENTRES - 1).number()).isEqualTo(1023);
    assertThatThrownBy(() -> new LocalDataCentre(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> new LocalDataCentre(VectorClock.MAX_DATA_CENTRES))
        .hasMessageContaining("1024");
  }
}
