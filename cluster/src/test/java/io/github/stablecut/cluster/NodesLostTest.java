package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five nodes have three replicas of each partition. One node after the other is killed, permanently
 * loses its directory, and starts with an empty one. No acknowledged write is lost.
 *
 * <p>Runs for {@code -Dstablecut.minutes}, 5 by default. {@code -Dstablecut.seed} determines the
 * next node.
 */
@Tag("long")
class NodesLostTest {
  private static final int NODES = 5;
  private static final int PARTITIONS = 5;
  private static final int WRITERS = 16;

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(
          one.withHeap("256m").with("--replicas", "3", "--partitions", String.valueOf(PARTITIONS)));
    }
    return options;
  }

  /** Asks all nodes who leads each partition. */
  private static void collectLeaders(TestCluster cluster) throws Exception {
    for (int node = 0; node < NODES; node++) {
      cluster.owners(node);
    }
  }

  private static Duration percentile(List<Duration> of, int percent) {
    return of.stream()
        .sorted()
        .skip((long) (of.size() - 1) * percent / 100)
        .findFirst()
        .orElse(Duration.ZERO);
  }

  @Test
  void noAcknowledgedWriteIsLostWhicheverNodesAreLost() throws Exception {
    long seed = Long.getLong("stablecut.seed", System.nanoTime());
    System.out.println("nodes are lost with -Dstablecut.seed=" + seed);
    Random random = new Random(seed);
    long end =
        System.nanoTime() + Duration.ofMinutes(Long.getLong("stablecut.minutes", 5)).toNanos();
    List<Duration> silent = new ArrayList<>();
    int lost = 0;
    try (TestCluster cluster = TestCluster.form(options())) {
      cluster.awaitWhole();
      cluster.awaitReplicas();
      try (PairLoad load = new PairLoad("pairs", cluster.connections(), WRITERS);
          PartitionWriters writers = new PartitionWriters(PARTITIONS, cluster.connections())) {
        load.awaitProgress();
        while (System.nanoTime() - end < 0) {
          collectLeaders(cluster);
          int node = random.nextInt(NODES);
          List<String> leaders = cluster.owners(node);
          long killed = System.nanoTime();
          cluster.lose(node);
          List<Duration> now = writers.silentSince(killed);
          for (int partition = 0; partition < PARTITIONS; partition++) {
            if (leaders.get(partition).equals(cluster.options(node).name())) {
              silent.add(now.get(partition));
            }
          }
          lost++;
          System.out.printf(
              "node %d is lost, which led %d partitions; writes go on after %s ms%n",
              node,
              Collections.frequency(leaders, cluster.options(node).name()),
              now.stream().map(Duration::toMillis).toList());
          load.awaitProgress();
          cluster.restartElsewhere(node);
          cluster.awaitReplicas();
        }
        collectLeaders(cluster);
        try (Store store = cluster.node(random.nextInt(NODES)).connect()) {
          assertThat(writers.lost(store)).isEmpty();
          load.check(store);
        }
        System.out.printf(
            "%d nodes were lost, %,d transactions of three partitions acknowledged; the %d"
                + " partitions that they led took no writes for %,d ms (p50), at worst %,d ms%n",
            lost,
            load.acknowledged(),
            silent.size(),
            percentile(silent, 50).toMillis(),
            percentile(silent, 100).toMillis());
      }
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
