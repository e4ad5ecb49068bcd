package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A partition whose handover fails does not prevent the handover of others when a node shuts down.
 */
class LeadershipHandoverTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withPartitions(3);

  @TempDir private Path path;

  private final Set<Integer> led = new ConcurrentSkipListSet<>();
  private final Set<Integer> ended = new ConcurrentSkipListSet<>();

  /** Draining partition 0 times out, and draining partition 1 throws. */
  private final class Broken implements NodeReplicas.LeadershipListener {
    @Override
    public PartitionContext context(long epoch) {
      return PartitionContext.builder(
              epoch,
              EmbeddedStore.clock(OPTIONS),
              new ActiveSnapshots(System::nanoTime, OPTIONS.maxTransactionAge().toNanos()),
              (to, message) -> {})
          .build();
    }

    @Override
    public void begins(Partition partition, long epoch) {
      led.add(partition.number());
    }

    @Override
    public boolean serves(int partition) {
      return led.contains(partition);
    }

    @Override
    public void ends(Partition partition) {
      ended.add(partition.number());
    }

    @Override
    public void drains(int partition, Duration atMost) {
      if (partition == 0) {
        throw new IllegalStateException("injected");
      }
      if (partition == 1) {
        throw new AssertionError("injected");
      }
    }
  }

  private static NodePlan plan() {
    List<String> alone = List.of("n1");
    return NodePlan.builder(7, "n1", List.of("n1", "n1", "n1"))
        .isFormed(true)
        .replicas(List.of(alone, alone, alone))
        .keepers(alone)
        .build();
  }

  /** A register in which configurations can be read, which is all these tests need. */
  private static final class Register implements ConfigurationRegister {
    @Override
    public CompletionStage<Configuration> read(int partition) {
      return CompletableFuture.completedFuture(Configuration.first(List.of("n1")));
    }

    @Override
    public CompletionStage<Boolean> replace(int partition, Configuration next) {
      throw new AssertionError(next);
    }
  }

  private NodeReplicas open(NodeDirectory directory) throws Exception {
    directory.form(plan(), List.of());
    directory.raiseEpoch();
    NodeReplicas replicas =
        NodeReplicas.open(
            new NodeReplicas.Node(
                plan(), directory, OPTIONS, Nowhere.requests(new MembershipView()), new Broken()));
    Eventually.holds("all are led here", () -> led.size() == 3);
    return replicas;
  }

  @Test
  void transfersLeadershipAlthoughDrainingFails() throws Exception {
    try (NodeDirectory directory = NodeDirectory.open(path, "n1");
        NodeReplicas replicas = open(directory)) {
      LeadershipHandover successors =
          new LeadershipHandover(Map.of(), new Broken(), new Register());

      for (int number = 0; number < 3; number++) {
        boolean isTaken = successors.giveWay(number, replicas.find(number).orElseThrow(), "n2");
        assertThat(isTaken).as("no other node is there").isFalse();
      }

      assertThat(ended).containsExactly(0, 1, 2);
    }
  }

  @Test
  void handsOverAndClosesAllAlthoughDrainingSomeFails() throws Exception {
    try (NodeDirectory directory = NodeDirectory.open(path, "n1");
        NodeReplicas replicas = open(directory)) {
      replicas.handOver();

      assertThat(ended).containsExactly(0, 1, 2);
    }
  }
}
