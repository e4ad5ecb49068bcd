package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A wrong clock stops only its own node, and the data that it stamped can be served again. */
class WrongClockTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();
  private List<Integer> ports = List.of();

  @BeforeEach
  void choosePorts() throws Exception {
    ports = Ports.free(2);
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private NodeRuntime start(int number, Duration ahead, Duration maxDrift) {
    NodeRuntime node =
        NodeRuntime.start(
            NodeSettings.builder(
                    "n" + number,
                    directory.resolve("n" + number),
                    StoreOptions.defaults()
                        .withPartitions(4)
                        .withClock(() -> Instant.now().plus(ahead)),
                    new NodeSettings.Endpoint(
                        "127.0.0.1",
                        ports.get(number),
                        ports.get(number),
                        Optional.empty(),
                        directory.resolve("secret")),
                    new NodeSettings.Formation(
                        ports.stream().map(port -> "127.0.0.1:" + port).toList(), 2))
                .maxClockDrift(maxDrift)
                .build());
    nodes.add(node);
    return node;
  }

  private void closeAll() {
    nodes.forEach(NodeRuntime::close);
    nodes.clear();
  }

  private static Store storeWithAllPartitions(NodeRuntime node) throws Exception {
    Store store = node.await();
    Eventually.holds(
        "all partitions are open",
        () -> node.partitions().stream().allMatch(PartitionLocation::isReachable));
    return store;
  }

  @Test
  void refusesANodeWithAWrongClock() throws Exception {
    NodeRuntime right = start(0, Duration.ZERO, NodeSettings.DEFAULT_CLOCK_DRIFT);
    NodeRuntime wrong = start(1, HOUR, NodeSettings.DEFAULT_CLOCK_DRIFT);

    assertThat(wrong.ended().join())
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining(
            "differ by more than 1 minute (cluster.max-clock-drift): synchronize the clocks");
    assertThat(right.end()).isEmpty();
  }

  @Test
  void servesDataOfAWrongClockWithALargerDrift() throws Exception {
    NodeRuntime first = start(0, HOUR, NodeSettings.DEFAULT_CLOCK_DRIFT);
    start(1, HOUR, NodeSettings.DEFAULT_CLOCK_DRIFT);
    Store store = storeWithAllPartitions(first);
    for (int i = 0; i < 20; i++) {
      store.update(Key.counter("b", "k" + i).increment());
    }
    closeAll();

    // The clocks are right again, and the data is an hour ahead.
    Duration twoHours = HOUR.multipliedBy(2);
    NodeRuntime again = start(0, Duration.ZERO, twoHours);
    NodeRuntime other = start(1, Duration.ZERO, twoHours);
    Store recovered = storeWithAllPartitions(again);

    assertThat(recovered.read(Key.counter("b", "k7"))).isEqualTo(1);
    recovered.update(KEY.increment());
    assertThat(storeWithAllPartitions(other).readLatest(KEY)).isEqualTo(1);
    assertThat(again.warnings())
        .singleElement()
        .asString()
        .contains("ahead of this machine's", "cluster.max-clock-drift");
  }
}
