package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's replicas are unusable once another node has replaced it, whatever its plan says. */
class ReplacedNodeTest {
  @TempDir private Path directory;

  @Test
  void refusesToOpenReplicasOfAReplacedNode() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 3, 3).formed();
    try (NodeDirectory node = NodeDirectory.open(directory, "n1")) {
      node.form(plan, List.of());
      node.update(plan.replacing("n1", "n9"));
    }
    StoreOptions options = StoreOptions.defaults();
    MembershipView view = new MembershipView();

    try (NodePartitions node =
        NodePartitions.open(
            new NodeSettings(
                "n1",
                directory,
                options,
                new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
                new NodeSettings.Formation(List.of(), 1),
                NodeSettings.MoveLimits.DEFAULT),
            new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT))) {
      assertThatThrownBy(
              () ->
                  node.openAll(node.plan().orElseThrow(), List.of(), Nowhere.requests(view), view))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("node n1 was replaced by another one");
    }
  }
}
