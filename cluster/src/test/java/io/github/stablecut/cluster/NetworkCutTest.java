package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cut links between nodes lose no data, and make only the cut-off partitions unavailable. */
class NetworkCutTest {
  private static final int NODES = 3;

  @TempDir private Path directory;

  @Tag("long")
  @Test
  void aCutOffNodeServesItsPartitionsAndRejoins() throws Exception {
    try (TestCluster cluster =
            TestCluster.formBehindProxies(TestCluster.options(directory, NODES));
        PairLoad load = new PairLoad("cut", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();

      cluster.cutOff(1);
      for (int node = 0; node < NODES; node++) {
        int observer = node;
        Set<String> lost = observer == 1 ? Set.of("n0", "n2") : Set.of("n1");
        Eventually.holds("the loss is known", () -> cluster.lost(observer).equals(lost));
      }
      // Each side serves its partitions, however few they are.
      List<String> keys = IntStream.range(0, 100).mapToObj(i -> "cut" + i).toList();
      long served = served(cluster.node(0), keys) + served(cluster.node(1), keys);
      assertThat(served).isEqualTo(keys.size());
      cluster.mend();
      cluster.awaitWhole();
      load.awaitProgress();
      assertThat(cluster.node(1).isAlive()).isTrue();

      cluster.cutOff(0);
      cluster.node(0).kill();
      // The first seed restarts while no other node answers, and forms a cluster of its own.
      cluster.restartCutOff(0);
      assertThat(cluster.hasMember(0, 1)).isFalse();
      cluster.mend();
      assertThat(cluster.node(0).exitCode()).isEqualTo(1);
      assertThat(cluster.node(0).output())
          .contains(
              "are in different clusters, of 1 and 2 members",
              "restart the nodes of the smaller one");
      cluster.restart(0);
      cluster.awaitWhole();
      load.awaitProgress();
      try (Store store = cluster.node(0).connect()) {
        load.check(store);
      }
      cluster.checkOneOwnerPerEpoch();
    }
  }

  @Test
  void aCutLinkAffectsOnlyItsTwoNodes() throws Exception {
    try (TestCluster cluster =
        TestCluster.formBehindProxies(TestCluster.options(directory, NODES))) {
      cluster.awaitWhole();
      List<String> owners = cluster.owners(0);
      List<String> keys = IntStream.range(0, 100).mapToObj(i -> "link" + i).toList();

      cluster.cutLink(1, 2);
      Eventually.holds("n1 has lost n2", () -> cluster.lost(1).equals(Set.of("n2")));
      Eventually.holds("n2 has lost n1", () -> cluster.lost(2).equals(Set.of("n1")));

      // By now, the others have told the third that they do not reach each other.
      for (int i = 0; i < 2; i++) {
        assertThat(cluster.lost(0)).isEmpty();
        assertThat(served(cluster.node(0), keys)).isEqualTo(keys.size());
        for (int end = 1; end <= 2; end++) {
          assertThat(served(cluster.node(end), keys)).isPositive().isLessThan(keys.size());
        }
      }
      assertThat(cluster.owners(0)).isEqualTo(owners);
      cluster.mend();
      cluster.awaitWhole();
      assertThat(served(cluster.node(1), keys)).isEqualTo(keys.size());
      assertThat(cluster.owners(2)).isEqualTo(owners);
      cluster.checkOneOwnerPerEpoch();
    }
  }

  /** The nodes hear each other, but no request passes. */
  @Tag("long")
  @Test
  void cutLinksAreNamedUntilTheyAreBack() throws Exception {
    try (TestCluster cluster =
        TestCluster.formBehindProxies(TestCluster.options(directory, NODES))) {
      cluster.awaitWhole();
      List<String> keys = IntStream.range(0, 20).mapToObj(i -> "data" + i).toList();

      cluster.cutLinks(1);
      Eventually.holds(
          "n0 reports it",
          () ->
              cluster
                  .report(0)
                  .path("warnings")
                  .toString()
                  .contains("node n1 can't be reached at its data port"));

      assertThat(cluster.lost(0)).isEmpty();
      try (WireClient client = new WireClient(cluster.node(0).address())) {
        String refusal = "";
        for (int i = 0; refusal.isEmpty(); i++) {
          Response response = client.call(WireClient.updateOf(WireClient.add(keys.get(i), 1)));
          if (!(response instanceof Response.Committed)) {
            refusal = WireClient.failed(response, ErrorCode.BUSY);
          }
        }
        assertThat(refusal)
            .contains("node n1 can't be reached at its data port", "cluster.data-port");
      }
      cluster.mend();
      Eventually.holds(
          "no more", () -> !cluster.report(0).path("warnings").toString().contains("data port"));
      for (int node = 0; node < NODES; node++) {
        assertThat(served(cluster.node(node), keys)).isEqualTo(keys.size());
      }
    }
  }

  /**
   * Returns how many of the counters a node increments. A counter that it refuses to increment
   * can't be read there either. Uses the plain protocol, as a client would use another node.
   */
  private static long served(NodeProcess node, List<String> keys) throws IOException {
    long served = 0;
    try (WireClient client = new WireClient(node.address())) {
      for (String key : keys) {
        Response response = client.call(WireClient.updateOf(WireClient.add(key, 1)));
        if (response instanceof Response.Committed) {
          served++;
        } else {
          assertThat(WireClient.failed(response, ErrorCode.BUSY)).contains("can't be reached");
          assertThat(client.refused(WireClient.readOf(WireClient.counter(key)), ErrorCode.BUSY))
              .contains("can't be reached");
        }
      }
    }
    return served;
  }
}
