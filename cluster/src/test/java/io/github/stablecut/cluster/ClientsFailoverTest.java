package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.NodeProcess.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * AntidoteDB's clients, with the retry loop that their users would write, continue when a node of a
 * cluster with replicas dies, and find everything that was acknowledged to them.
 */
class ClientsFailoverTest {
  private static final int NODES = 3;

  @TempDir private Path directory;

  private TestCluster form() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(one.with("--replicas", "3", "--partitions", "3"));
    }
    TestCluster cluster = TestCluster.form(options);
    cluster.awaitWhole();
    cluster.awaitReplicas();
    return cluster;
  }

  private static List<FailoverClient> clients(TestCluster cluster) throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      ports.add(cluster.node(node).port());
    }
    return List.of(
        FailoverClient.javaScript(ports), FailoverClient.python(ports), FailoverClient.java(ports));
  }

  private static void awaitProgress(List<FailoverClient> clients) throws Exception {
    for (FailoverClient client : clients) {
      client.awaitProgress();
    }
  }

  private static void end(List<FailoverClient> clients) throws Exception {
    for (FailoverClient client : clients) {
      assertThat(client.end()).contains("ok: ").doesNotContain("wrong: ");
    }
  }

  @Tag("long")
  @Test
  void clientsContinueWhenANodeDiesAndFindAcknowledgedWrites() throws Exception {
    try (TestCluster cluster = form()) {
      List<FailoverClient> clients = clients(cluster);
      awaitProgress(clients);

      cluster.lose(0);

      awaitProgress(clients);
      end(clients);
    }
  }
}
