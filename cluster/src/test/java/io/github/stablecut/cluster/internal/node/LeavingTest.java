package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leaving node receives no partitions. Here n0 and n1 have one partition each. */
class LeavingTest {
  /** Slow enough for a move to take long. */
  private static final long BYTES_PER_SECOND = 1 << 10;

  private static final Duration LONG = Duration.ofHours(1);

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < ports.size(); i++) {
      nodes.add(NodeRuntime.start(settings("n" + i, ports.get(i), seeds)));
    }
    for (NodeRuntime node : nodes) {
      node.await();
    }
    Eventually.holds("n0 knows n1", () -> nodes.get(0).partitions().get(1).node().equals("n1"));
  }

  private NodeSettings settings(String name, int port, List<String> seeds) {
    return new NodeSettings(
        name,
        directory.resolve(name),
        StoreOptions.defaults().withPartitions(2),
        new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
        new NodeSettings.Formation(seeds, 2),
        new NodeSettings.MoveLimits(BYTES_PER_SECOND, Duration.ofSeconds(10)));
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private void awaitLeaving(Set<String> names) throws Exception {
    Eventually.holds("n0 knows the leaving nodes", () -> nodes.get(0).leaving().equals(names));
  }

  /** The last move of partition 0. */
  private PartitionMove move() throws Exception {
    Eventually.holds(
        "n0 knows of the move", () -> !nodes.get(0).partitions().get(0).moves().isEmpty());
    return nodes.get(0).partitions().get(0).moves().get(0);
  }

  @Test
  void announcesItsLeaveRefusesPartitionsAndRevokes() throws Exception {
    nodes.get(1).announceLeave("a", LONG);

    awaitLeaving(Set.of("n1"));
    assertThatThrownBy(() -> nodes.get(0).move(0, "n1"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("node n1 is leaving the cluster: choose another node");

    nodes.get(1).announceLeave("a", Duration.ZERO);

    awaitLeaving(Set.of());
    long number = nodes.get(0).move(0, "n1");
    assertThat(move().number()).isEqualTo(number);
  }

  @Test
  void aLeaveExpiresWithoutRenewal() throws Exception {
    nodes.get(1).announceLeave("a", Duration.ofSeconds(2));
    awaitLeaving(Set.of("n1"));

    awaitLeaving(Set.of());
    nodes.get(0).move(0, "n1");
  }

  @Test
  void aNodeThatReceivesAPartitionDoesNotLeave() throws Exception {
    for (int i = 0; i < 16; i++) {
      nodes
          .get(0)
          .await()
          .update(Key.register("b", "k" + i, Codec.string()).assign("x".repeat(8 << 10)));
    }
    nodes.get(0).move(0, "n1");
    assertThat(move().state()).isEqualTo(PartitionMove.State.COPYING);

    assertThatThrownBy(() -> nodes.get(1).announceLeave("a", LONG))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("a partition is being moved to node n1: wait for the end");

    assertThat(nodes.get(1).leaving()).isEmpty();
  }
}
