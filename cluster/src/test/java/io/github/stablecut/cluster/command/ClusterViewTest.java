package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said of the nodes of a cluster. */
final class ClusterViewTest {
  private static ClusterView.Place place(int partition, String node) {
    return new ClusterView.Place(partition, node, "host:1", 1, true, true, 0, List.of());
  }

  @Test
  void aNodeThatCanNotBeReachedAndOneWithoutPartitionsAreNamed() {
    ClusterView view =
        new ClusterView(
            "n1",
            List.of("n1", "n2"),
            List.of("n2"),
            List.of(place(0, "n1"), place(1, "gone"), place(2, "n1")),
            Map.of(),
            0,
            0,
            0,
            false,
            List.of());

    assertThat(ClusterRebalance.said(view))
        .isEqualTo("gone has 1 and can't be reached, n1 has 2, n2 has 0 and leaves");
  }
}
