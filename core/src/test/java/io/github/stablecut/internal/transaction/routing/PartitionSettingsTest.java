package io.github.stablecut.internal.transaction.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.option.StoreOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of partitions derived from those of a store. */
class PartitionSettingsTest {
  /** Each queued record's effects come on top and may take ten times as much. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void queuesOfAllPartitionsTakeASmallShareOfTheHeap(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);

    long bytes =
        PartitionSettings.of(options, new LocalDataCentre(0), 0).journal().options().queueBytes();

    assertThat(bytes * partitions).isBetween(1L, Runtime.getRuntime().maxMemory() / 32);
    assertThat(bytes).isLessThanOrEqualTo(64 << 20);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64})
  void watchBuffersOfAllPartitionsTakeASmallShareOfTheHeap(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);

    long bytes = PartitionSettings.of(options, new LocalDataCentre(0), 0).memory().feedBytes();

    assertThat(bytes * partitions).isBetween(1L, Runtime.getRuntime().maxMemory() / 16);
    assertThat(bytes).isBetween(64L << 10, 64L << 20);
  }
}
