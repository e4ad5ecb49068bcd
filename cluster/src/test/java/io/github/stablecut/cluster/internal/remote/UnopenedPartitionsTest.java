package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node announces partitions that only it has before it opens them, so that no node resets them.
 */
class UnopenedPartitionsTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final NodePlan ONCE = new NodePlan(7, "n1", List.of("n1"), true);
  private static final NodePlan BEGUN =
      ONCE.withRegister(new PlanChange.Register(1_000, List.of("n1"), List.of("n1")));
  private static final GossipedNodeState.Ownership OWN =
      new GossipedNodeState.Ownership(0, "n1", 1);

  @TempDir private Path directory;

  @BeforeEach
  void form() {
    try (NodeDirectory made = NodeDirectory.open(directory, "n1")) {
      made.form(ONCE, List.of());
      assertThat(made.raiseEpoch()).isEqualTo(1);
    }
  }

  private List<GossipedNodeState.Ownership> owned() {
    return owned(directory);
  }

  private static List<GossipedNodeState.Ownership> owned(Path directory) {
    NodeClock clock = new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
    try (NodePartitions node =
        NodePartitions.open(Nowhere.settings(directory, OPTIONS, 1), clock)) {
      return node.facts(List.of(), false).owned();
    }
  }

  @Test
  void announcesAPartitionWithoutReplicas() {
    assertThat(owned()).containsExactly(OWN);
  }

  /** A forgotten node immediately learns that another node has its partition. */
  @Test
  void announcesTheNewOwnerOfAPartition() throws Exception {
    NodePlan two = new NodePlan(7, "n1", List.of("n1", "n1"), true);
    try (NodeDirectory node = NodeDirectory.open(directory.resolve("two"), "n1")) {
      node.form(two, List.of(new MoveMark(0, 1, "n3", 9)));
    }

    assertThat(owned(directory.resolve("two")))
        .containsExactlyInAnyOrder(
            new GossipedNodeState.Ownership(0, "n1", 0),
            new GossipedNodeState.Ownership(1, "n3", 9));
  }

  @Test
  void announcesAPartitionUntilItHasBecomeAReplica() throws Exception {
    try (NodeDirectory node = NodeDirectory.open(directory, "n1")) {
      node.beginReplicas(BEGUN, RatisRegister.BEGINS);
    }
    assertThat(owned()).containsExactly(OWN);

    try (NodeDirectory node = NodeDirectory.open(directory, "n1")) {
      node.promise(0).write(1_001);
    }

    assertThat(owned()).isEmpty();
  }
}
