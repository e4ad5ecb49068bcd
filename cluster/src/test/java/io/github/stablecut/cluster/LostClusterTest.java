package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is left alone while the others form another cluster detects that and ends. */
class LostClusterTest {
  private static final CounterKey KEY = Key.counter("b", "k");

  @TempDir private Path directory;

  private static ClusterNode observe(List<String> seeds) throws Exception {
    return ClusterNode.observe(
        StoreOptions.defaults().withPartitions(0),
        new ClusterSettings(
            "observer", Endpoint.loopback(Ports.free(1).get(0)), seeds, 0, 0, Long.MAX_VALUE));
  }

  @Tag("long")
  @Test
  void anObserverEndsWhenAllNodesHaveRestarted() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 2)) {
      List<String> seeds = cluster.options(0).seeds();
      try (ClusterNode observer = observe(seeds)) {
        observer.store().update(KEY.increment(1));
        cluster.node(0).kill();
        cluster.node(1).kill();

        cluster.restartAll(List.of(cluster.options(0), cluster.options(1)));

        assertThat(observer.ended().toCompletableFuture().join())
            .isInstanceOf(JoinRefusedException.class)
            .hasMessageContaining("are in different clusters");
      }
      try (ClusterNode again = observe(seeds)) {
        assertThat(again.store().readLatest(KEY)).isEqualTo(1);
      }
    }
  }

  @Tag("long")
  @Test
  void aNodeEndsIfItsSeedsReturnInAnotherClusterWithSwappedAddresses() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      // The third node is no seed, so no node asks it whether it may join.
      options.add(
          new Options(
              one.name(), one.data(), one.port(), one.seeds().subList(0, 2), one.formWith()));
    }
    try (TestCluster cluster = TestCluster.form(options)) {
      cluster.awaitWhole();
      cluster.node(0).kill();
      cluster.node(1).kill();

      cluster.restartAll(
          List.of(
              options.get(0).withPort(options.get(1).port()),
              options.get(1).withPort(options.get(0).port())));

      assertThat(cluster.node(2).exitCode()).isEqualTo(1);
      assertThat(cluster.node(2).output())
          .contains("are in different clusters, of 1 and 2 members");
      cluster.restart(2);
      cluster.awaitWhole();
      try (Store store = cluster.node(2).connect()) {
        store.update(KEY.increment(1));
      }
    }
  }
}
