package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two clusters that should be one agree on which of them gives way. */
class CompetingClustersTest {
  private static ClusterSummary standing(String address, long store, int nodes, long age) {
    return new ClusterSummary(address, 1, store, nodes, age);
  }

  private static void givesWay(ClusterSummary loser, ClusterSummary winner) {
    assertThat(loser.givesWayTo(winner)).isTrue();
    assertThat(winner.givesWayTo(loser)).isFalse();
  }

  private static boolean yields(ClusterSummary own, ClusterSummary other, String... seeds) {
    return CompetingClusters.givesWay(
        own, other, new Seeds(List.of(seeds), own.address(), Set.of(), () -> 0), address -> false);
  }

  @Test
  void theClusterWithoutAStoreThenTheSmallerThenTheYoungerEnds() {
    givesWay(standing("a:1", 0, 5, 90_000), standing("b:1", 7, 1, 1));
    givesWay(standing("a:1", 7, 1, 90_000), standing("b:1", 7, 2, 1));
    givesWay(standing("a:1", 7, 2, 1), standing("b:1", 7, 2, 90_000));
  }

  @Test
  void addressDecidesBetweenEqualClustersDespiteLatency() {
    givesWay(standing("b:1", 7, 2, 5_000), standing("a:1", 7, 2, 5_000));
    givesWay(standing("b:1", 7, 2, 5_400), standing("a:1", 7, 2, 5_000));
  }

  @Test
  void doesNotGiveWayToAnotherStoreUnlessThatIsASeed() {
    ClusterSummary own = standing("a:1", 7, 1, 10_000);
    ClusterSummary other = standing("b:1", 8, 3, 90_000);

    assertThat(yields(own, other, "c:1")).isFalse();
    assertThat(yields(own, other, "b:1")).isTrue();
    assertThat(yields(other, own, "a:1")).isFalse();
  }

  @Test
  void givesWayToALargerClusterOfTheSameStore() {
    ClusterSummary own = standing("a:1", 7, 1, 10_000);

    assertThat(yields(own, standing("b:1", 7, 3, 90_000))).isTrue();
  }

  @Test
  void messageNamesBothStores() {
    assertThat(CompetingClusters.problem("n1", standing("a:1", 7, 1, 1), standing("b:1", 8, 3, 9)))
        .contains("node n1 is in that of store 0000000000000007 with 1 nodes")
        .contains("the node at b:1 in that of store 0000000000000008 with 3")
        .contains("cluster export");
  }
}
