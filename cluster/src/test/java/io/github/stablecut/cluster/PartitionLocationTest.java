package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a partition serves, as far as a node can know. */
final class PartitionLocationTest {
  private static PartitionLocation location(boolean isReachable, Duration lag) {
    return new PartitionLocation(0, "n1", "host:1", 1, isReachable, true, lag, List.of());
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
            new PartitionLocation(0, "n1", "host:1", 1, true, false, Duration.ZERO, List.of())
                .isServing())
        .isFalse();
  }
}
