package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reopened data centre without contact to others. */
final class ReopenedDataCentreTest {
  private static CounterKey keyIn(DataCentre at, int partition, String name) {
    for (int i = 0; ; i++) {
      CounterKey key = Key.counter("b", name + i);
      if (at.store.partitions().of(key.id()).number() == partition) {
        return key;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void seesItsOwnCommits(int partitionOfCause) {
    try (SimulatedDataCentres all = new SimulatedDataCentres(new Random(1), 2)) {
      DataCentre here = all.get(0);
      DataCentre there = all.get(1);
      CounterKey cause = keyIn(there, partitionOfCause, "cause");
      CounterKey effect = keyIn(here, 1, "effect");
      there.store.update(cause.increment(1));
      for (int partition = 0; partition < SimulatedDataCentres.PARTITIONS; partition++) {
        all.bring(there, here, partition);
      }
      assertThat(here.store.read(cause)).isEqualTo(1);
      here.store.update(effect.increment(1));

      here.reopen(true);

      assertThat(here.store.read(effect)).isEqualTo(1);
      assertThat(here.store.read(cause)).isEqualTo(1);
    }
  }
}
