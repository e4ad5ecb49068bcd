package io.github.stablecut.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.cluster.NodeProcess.Options;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes with replicas even out by themselves who leads: after the cluster was formed, and after a
 * node was lost and restarted.
 */
final class EvenLeadersTest {
  @TempDir private Path directory;

  @Test
  void eachNodeLeadsAsManyPartitionsAsTheOthers() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      options.add(one.with("--replicas", "3", "--partitions", "6"));
    }
    try (TestCluster cluster = TestCluster.form(options)) {
      Eventually.holds("leadership is even", () -> isEven(cluster));

      cluster.node(1).kill();
      Eventually.holds("the others lead", () -> leading(cluster, 0) + leading(cluster, 2) == 6);
      cluster.restart(1);

      Eventually.holds("leadership is even again", () -> isEven(cluster));
    }
  }

  private static boolean isEven(TestCluster cluster) throws Exception {
    return leading(cluster, 0) == 2 && leading(cluster, 1) == 2 && leading(cluster, 2) == 2;
  }

  private static int leading(TestCluster cluster, int node) throws Exception {
    int leading = 0;
    for (JsonNode replica : cluster.report(node).path("replicas")) {
      leading += replica.path("role").asText().equals("LEADS") ? 1 : 0;
    }
    return leading;
  }
}
