package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network between the nodes that loses a node harms nothing. */
class RingCutTest {
  private static final int NODES = 3;

  @TempDir static Path directory;

  @Test
  void aNodeThatIsCutOffIsRemovedAndComesBackWithAllThatItHas() throws Exception {
    try (RingCluster cluster =
            RingCluster.formBehindProxies(RingCluster.options(directory, NODES));
        PairLoad load = new PairLoad("cut", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();

      // Short enough for nobody to be removed.
      cluster.cutOff(1);
      Eventually.holds("the loss is known", () -> cluster.status(0).isEmpty());
      cluster.mend();
      cluster.awaitWhole();
      load.awaitProgress();
      assertThat(cluster.node(1).isAlive()).isTrue();

      cluster.cutOff(0);
      assertThat(cluster.node(0).exitCode()).isEqualTo(1);
      Eventually.holds("the others have removed it", () -> !cluster.hasMember(1, 0));
      // The first seed is started while nobody answers it, and begins a cluster of its own.
      cluster.restartCutOff(0);
      assertThat(cluster.hasMember(0, 1)).isFalse();
      cluster.mend();
      assertThat(cluster.node(0).exitCode()).isEqualTo(1);
      assertThat(cluster.node(0).said())
          .contains("are in different clusters, of 1 and 2 members", "start node n0 again");
      cluster.restart(0);
      cluster.awaitWhole();
      load.awaitProgress();
      try (Store store = cluster.node(0).connect()) {
        load.check(store);
      }
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
