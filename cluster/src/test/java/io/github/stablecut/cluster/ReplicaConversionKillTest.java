package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterReplicas;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.file.FileTrees;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three nodes in three zones change from one replica of each partition to three while clients
 * write. One node is killed at a random moment of the change. Afterwards one node may be
 * permanently lost.
 */
@Tag("long")
class ReplicaConversionKillTest {
  private static final int NODES = 3;

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(one.with("--partitions", "5", "--zone", "rack-" + one.name()));
    }
    return options;
  }

  private static void orderThreeReplicas(TestCluster cluster, int node) throws Exception {
    Eventually.holds(
        "three replicas are agreed on",
        () -> {
          CommandResult result = cluster.run(node, ClusterReplicas.command(), "3");
          System.out.println(result);
          return result.code() == 0;
        });
  }

  private static void awaitThree(TestCluster cluster) throws Exception {
    try {
      awaitThreeSilently(cluster);
    } catch (AssertionError e) {
      StringBuilder statuses = new StringBuilder();
      for (int node = 0; node < NODES; node++) {
        statuses.append(cluster.run(node, ClusterStatus.command()).out());
      }
      throw new AssertionError(statuses.toString(), e);
    }
  }

  private static void awaitThreeSilently(TestCluster cluster) throws Exception {
    Eventually.holds(
        "each partition has three replicas",
        () -> {
          int complete = 0;
          for (int node = 0; node < NODES; node++) {
            for (JsonNode replica : cluster.report(node).path("replicas")) {
              boolean isLeading = replica.path("role").asText().equals("LEADS");
              boolean hasAll =
                  replica.path("complete").asBoolean() && replica.path("voters").size() == 3;
              complete += isLeading && hasAll ? 1 : 0;
            }
          }
          return complete == 5;
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void survivesAKillWhileReplicasAreAdded(int round) throws Exception {
    int killed = round % NODES;
    int survivor = (killed + 1) % NODES;
    try (TestCluster cluster = TestCluster.form(options());
        PairLoad load = new PairLoad("pairs", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();

      CompletableFuture<CommandResult> ordered =
          CompletableFuture.supplyAsync(
              () -> cluster.run(survivor, ClusterReplicas.command(), "3"));
      TimeUnit.MILLISECONDS.sleep(new Random(round).nextInt(4_000));
      cluster.node(killed).kill();
      System.out.println("round %d: %s".formatted(round, ordered.join()));
      cluster.restart(killed);
      orderThreeReplicas(cluster, survivor);
      awaitThree(cluster);
      load.awaitProgress();
      assertThat(cluster.run(survivor, ClusterStatus.command()).out())
          .contains("zone rack-n0: n0")
          .doesNotContain("fewer zones");

      cluster.node(killed).kill();
      FileTrees.delete(cluster.options(killed).data());
      load.awaitProgress();
      cluster.restartElsewhere(killed);
      awaitThree(cluster);
      try (Store store = cluster.node(survivor).connect()) {
        load.check(store);
      }
      System.out.println("failures of clients: " + load.failures());
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
