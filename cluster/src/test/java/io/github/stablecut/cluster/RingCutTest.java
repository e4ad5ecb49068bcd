package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.RingProcess.Options;
import io.github.stablecut.cluster.internal.ring.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network between the nodes that loses a node harms nothing. */
class RingCutTest {
  private static final int NODES = 3;

  @TempDir static Path directory;

  @Test
  void aNodeThatIsCutOffIsRemovedAndComesBackWithAllThatItHas() throws Exception {
    List<Integer> reached = Ports.free(NODES);
    List<Integer> listening = Ports.free(NODES);
    List<String> seeds = reached.stream().map(port -> "127.0.0.1:" + port).toList();
    List<CutProxy> proxies = new ArrayList<>();
    List<Options> options = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      proxies.add(new CutProxy(reached.get(i), List.of(listening.get(i))));
      options.add(
          new Options("n" + i, directory.resolve("n" + i), reached.get(i), seeds, NODES)
              .with("--cluster-listen-port", "" + listening.get(i)));
    }
    try (RingCluster cluster = RingCluster.form(options);
        PairLoad load = new PairLoad("cut", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();

      // Short enough for nobody to be removed.
      proxies.get(1).cut();
      Eventually.holds("the loss is known", () -> cluster.status(0).isEmpty());
      proxies.get(1).mend();
      cluster.awaitWhole();
      load.awaitProgress();
      assertThat(cluster.node(1).isAlive()).isTrue();

      proxies.get(1).cut();
      assertThat(cluster.node(1).exitCode()).isEqualTo(1);
      Eventually.holds("the others have removed it", () -> !cluster.hasMember(0, 1));
      proxies.get(1).mend();
      cluster.restart(1);
      cluster.awaitWhole();

      load.awaitProgress();
      try (Store store = cluster.node(0).connect()) {
        load.check(store);
      }
      cluster.checkOneOwnerPerEpoch();
    } finally {
      for (CutProxy proxy : proxies) {
        proxy.close();
      }
    }
  }
}
