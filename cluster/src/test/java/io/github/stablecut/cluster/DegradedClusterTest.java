package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.web.testing.Client;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * While a node with replicas is lost, each of the others reports it, wherever an operator looks.
 */
final class DegradedClusterTest {
  private static final String LACKS =
      "2 of 6 replicas are missing: n2 is silent (partitions 0, 1); the configuration register lacks n2";

  @TempDir private Path directory;

  @Test
  void saysWhatIsMissingUntilTheNodeIsBack() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      options.add(one.with("--replicas", "3", "--partitions", "2"));
    }
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitReplicas();
      Eventually.holds("the cluster lacks nothing", () -> isWell(cluster));

      cluster.node(2).kill();

      for (int i = 0; i < 2; i++) {
        int node = i;
        Eventually.holds(
            "node " + node + " says what is missing",
            () -> status(cluster, node).out().startsWith("DEGRADED: " + LACKS + "\n"));
        assertThat(status(cluster, node).code()).isEqualTo(4);
        assertThat(cluster.report(node).path("degraded").asText()).isEqualTo(LACKS);
        Client client = new Client(URI.create(cluster.node(node).operations()));
        assertThat(client.raw("/ready").body()).isEqualTo("ready, but " + LACKS + "\n");
        HttpResponse<String> all = client.raw("/ready?all");
        assertThat(all.statusCode()).isEqualTo(503);
        assertThat(all.body()).isEqualTo("not ready: " + LACKS + "\n");
        assertThat(client.raw("/metrics").body())
            .contains("\nstablecut_cluster_replicas_missing 2.0\n");
        awaitWarning(client);
        Eventually.holds(
            "node " + node + " logs the loss",
            () -> cluster.node(node).output().contains("does not answer: start it again"));
      }

      cluster.restart(2);
      Eventually.holds("the cluster lacks nothing again", () -> isWell(cluster));
      assertThat(cluster.node(0).output()).containsOnlyOnce("does not answer: start it again");
    }
  }

  /** Waits until a node's console shows what is missing. */
  private static void awaitWarning(Client client) throws Exception {
    try (Client.Events live = client.events("/console/api/live")) {
      Eventually.holds(
          "the console warns",
          () -> live.next().at("/frames/0/warnings").toString().contains(LACKS));
    }
  }

  private static boolean isWell(TestCluster cluster) throws IOException, InterruptedException {
    boolean isWell = true;
    for (int node = 0; node < 3; node++) {
      CommandResult status = status(cluster, node);
      isWell &= status.code() == 0;
      isWell &=
          status
              .out()
              .startsWith("all 2 partitions are served, and all of their 6 replicas work\n");
    }
    return isWell;
  }

  private static CommandResult status(TestCluster cluster, int node) {
    return cluster.run(node, ClusterStatus.command());
  }
}
