package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterReplicas;
import io.github.stablecut.file.FileTrees;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five nodes change from three replicas of each partition to five while clients write. Then any two
 * nodes may be lost at once, also those that kept the register from the beginning.
 */
@Tag("long")
class ReplicasChangeKillTest {
  private static final int NODES = 5;

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(one.with("--replicas", "3", "--partitions", "5"));
    }
    return options;
  }

  private static void change(TestCluster cluster, int node, int number) throws Exception {
    CommandResult result = cluster.run(node, ClusterReplicas.command(), "" + number);
    assertThat(result.out()).contains("have agreed on " + number + " replicas of each partition");
    awaitReplicas(cluster, number);
  }

  /**
   * Waits until all leaders and all other replicas know that each partition has the given number of
   * replicas.
   */
  private static void awaitReplicas(TestCluster cluster, int number) throws Exception {
    for (int i = 0; i < NODES; i++) {
      int node = i;
      Eventually.holds(
          "node " + node + " knows of " + number + " replicas",
          () -> {
            JsonNode report = cluster.report(node);
            boolean isDone = report.path("replicationFactor").asInt() == number;
            for (JsonNode replica : report.path("replicas")) {
              boolean isLeading = replica.path("role").asText().equals("LEADS");
              isDone &= !isLeading || replica.path("voters").size() == number;
              isDone &= !isLeading || replica.path("complete").asBoolean();
            }
            return isDone;
          });
    }
  }

  @Test
  void fiveReplicasSurviveTheLossOfTwoNodesAndBecomeThreeAgain() throws Exception {
    try (TestCluster cluster = TestCluster.form(options());
        PairLoad load = new PairLoad("pairs", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();

      change(cluster, 0, 5);
      load.awaitProgress();
      cluster.awaitReplicas();
      for (int lost : List.of(0, 1)) {
        cluster.node(lost).kill();
        FileTrees.delete(cluster.options(lost).data());
      }
      load.awaitProgress();

      for (int lost : List.of(0, 1)) {
        cluster.restartElsewhere(lost);
      }
      awaitReplicas(cluster, 5);
      cluster.awaitReplicas();
      change(cluster, 3, 3);
      cluster.node(4).kill();
      load.awaitProgress();
      cluster.restart(4);
      try (Store store = cluster.node(0).connect()) {
        load.check(store);
      }
      System.out.println("failures of clients: " + load.failures());
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
