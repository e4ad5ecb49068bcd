package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whether a partition serves, as far as a node can know. */
final class PartitionLocationTest {
  private static PartitionLocation location(boolean isReachable, Duration lag) {
    return PartitionLocation.builder(0, "n1", "host:1")
        .epoch(1)
        .isReachable(isReachable)
        .isLed(true)
        .lag(lag)
        .build();
  }

  @Test
  void anOwnerNotHeardForAWhileDoesNotServe() {
    assertThat(location(true, Duration.ofMillis(300)).isServing()).isTrue();
    assertThat(location(true, Duration.ofMillis(1_999)).isServing()).isTrue();
    assertThat(location(true, PartitionLocation.SILENCE).isServing()).isFalse();
    assertThat(location(false, Duration.ZERO).isServing()).isFalse();
  }

  @Test
  void anOwnerThatSteppedDownDoesNotServe() {
    assertThat(
            PartitionLocation.builder(0, "n1", "host:1")
                .epoch(1)
                .isReachable(true)
                .build()
                .isServing())
        .isFalse();
  }
}
