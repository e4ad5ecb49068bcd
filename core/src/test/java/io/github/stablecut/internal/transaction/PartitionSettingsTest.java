package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.option.StoreOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the options of a store make of those of its partitions. */
class PartitionSettingsTest {
  /** Beside each queued record are its effects, which may take ten times as much. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void whatIsQueuedInAllPartitionsTakesASmallPartOfTheHeap(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);

    long bytes =
        PartitionSettings.of(options, new LocalDataCentre(0), 0).journal().options().queueBytes();

    assertThat(bytes * partitions).isBetween(1L, Runtime.getRuntime().maxMemory() / 32);
    assertThat(bytes).isLessThanOrEqualTo(64 << 20);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void whatWaitsForWatchesInAllPartitionsTakesASmallPartOfTheHeap(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);

    long bytes = PartitionSettings.of(options, new LocalDataCentre(0), 0).memory().feedBytes();

    assertThat(bytes * partitions).isBetween(1L, Runtime.getRuntime().maxMemory() / 16);
    assertThat(bytes).isBetween(64L << 10, 64L << 20);
  }
}
