package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.cluster.ClusterRebalance;
import io.github.stablecut.cluster.command.cluster.DcStatus;
import io.github.stablecut.cluster.internal.node.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters replicate with each other as data centres while their nodes are killed. */
final class ClusterDataCentresKillTest {
  private static final int NODES = 2;
  private static final int KILLS = 6;

  @TempDir private Path directory;

  private List<Options> options(String name, List<Integer> ports, String... joins)
      throws Exception {
    List<Options> options = new ArrayList<>();
    List<Options> plain = TestCluster.options(directory.resolve(name), NODES);
    for (int i = 0; i < NODES; i++) {
      List<String> more = new ArrayList<>(List.of("--dc-listen", "127.0.0.1:" + ports.get(i)));
      for (String join : joins) {
        more.addAll(List.of("--dc-join", join));
      }
      options.add(plain.get(i).with(more.toArray(String[]::new)));
    }
    return options;
  }

  private static List<Store> connect(TestCluster one, TestCluster two) {
    List<Store> stores = new ArrayList<>();
    one.connections().forEach(connection -> stores.add(connection.get()));
    two.connections().forEach(connection -> stores.add(connection.get()));
    return stores;
  }

  private static void kill(TestCluster cluster, int node) throws Exception {
    cluster.node(node).kill();
    cluster.restart(node);
    cluster.awaitWhole();
  }

  @Test
  @Tag("long") // processes are killed and started again
  void nothingIsLostOrDuplicatedWhileNodesAreKilled() throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<Integer> ports = Ports.free(2 * NODES);
    try (TestCluster one = TestCluster.form(options("one", ports.subList(0, NODES)));
        TestCluster two =
            TestCluster.form(
                options("two", ports.subList(NODES, 2 * NODES), "127.0.0.1:" + ports.get(1)))) {
      List<Supplier<Store>> all = new ArrayList<>(one.connections());
      all.addAll(two.connections());
      PairLoad load = new PairLoad("pairs", all);
      try (load) {
        // It has all partitions once it has joined.
        assertThat(two.run(0, ClusterRebalance.command()).err()).isEmpty();
        assertThat(two.owners(0)).contains("n0", "n1");
        for (int i = 0; i < KILLS; i++) {
          kill(random.nextBoolean() ? one : two, random.nextInt(NODES));
          load.awaitProgress();
        }
      }
      List<Store> stores = connect(one, two);
      try {
        load.checkEqual(stores);
      } finally {
        stores.forEach(Store::close);
      }
      TestCluster.CommandResult status = two.run(1, DcStatus.command());
      assertThat(status.code()).as(status.out() + status.err()).isZero();
      one.checkOneOwnerPerEpoch();
      two.checkOneOwnerPerEpoch();
    }
  }
}
