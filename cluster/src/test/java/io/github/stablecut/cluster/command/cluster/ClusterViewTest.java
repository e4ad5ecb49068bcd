package io.github.stablecut.cluster.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cluster as the report of a node describes it. */
final class ClusterViewTest {
  @Test
  void isCompleteOnlyWithACompleteRegister() throws Exception {
    assertThat(of("{\"leader\":\"n1\",\"complete\":true}").isComplete()).isTrue();
    assertThat(of("{\"leader\":\"\",\"complete\":false}").isComplete()).isFalse();
  }

  private static ClusterView of(String register) throws IOException {
    String report =
        """
        {"node": "n1", "replicationFactor": 3, "replicasUpToDate": 3, "register": %s,
         "partitions": [{"partition": 0, "node": "n1", "reachable": true, "serving": true}]}
        """
            .formatted(register);
    return ClusterView.of(new ObjectMapper().readTree(report), URI.create("http://n1"));
  }

  private static ClusterView.Location location(int partition, String node) {
    return new ClusterView.Location(partition, node, "host:1", 1, true, true, 0, List.of());
  }

  @Test
  void namesUnreachableNodesAndNodesWithoutPartitions() {
    ClusterView view =
        new ClusterView(
            "",
            "n1",
            List.of("n1", "n2"),
            List.of("n2"),
            List.of(location(0, "n1"), location(1, "gone"), location(2, "n1")),
            Map.of(),
            0,
            0,
            0,
            false,
            MissingNode.getInstance(),
            List.of());

    assertThat(ClusterRebalance.summary(view))
        .isEqualTo("gone has 1 and can't be reached, n1 has 2, n2 has 0 and is leaving");
  }
}
