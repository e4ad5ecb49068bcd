package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The nodes of a cluster with replicas restart one after the other, as documented, while clients
 * write, read and watch: nothing is lost, and all calls are answered.
 */
@Tag("long")
final class RollingRestartTest {
  private static final int NODES = 3;
  private static final int PARTITIONS = 6;

  @TempDir private Path directory;

  private TestCluster form() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      options.add(one.with("--replicas", "3", "--partitions", String.valueOf(PARTITIONS)));
    }
    TestCluster cluster = TestCluster.form(options);
    cluster.awaitWhole();
    cluster.awaitReplicas();
    return cluster;
  }

  private static String uri(TestCluster cluster) {
    List<String> all = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      all.add("127.0.0.1:" + cluster.node(node).port());
    }
    return "stablecut://" + String.join(",", all);
  }

  private static List<Long> millis(List<Duration> durations) {
    return durations.stream().map(Duration::toMillis).toList();
  }

  /** Restarts a node as an administrator does. */
  private static void restart(TestCluster cluster, int node) throws Exception {
    assertThat(cluster.node(node).terminate()).as(cluster.output()).isZero();
    cluster.restart(node);
    CommandResult result = cluster.run(node, ClusterStatus.command(), "--wait", "180");
    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out())
        .contains("%d of the %<d replicas of all partitions".formatted(NODES * PARTITIONS));
  }

  @Test
  void rollingRestartsLoseNothingAndAnswerAllCalls() throws Exception {
    try (TestCluster cluster = form();
        LongLivedClients clients = new LongLivedClients(uri(cluster));
        PartitionWriters writers = new PartitionWriters(PARTITIONS, cluster.connections())) {
      for (int node = 0; node < NODES; node++) {
        clients.awaitProgress();
        Duration before = clients.longest();
        int led =
            Collections.frequency(cluster.owners((node + 1) % NODES), cluster.options(node).name());
        long startNanos = System.nanoTime();
        restart(cluster, node);
        System.out.printf(
            "node %d, which led %d partitions, was restarted in %,d ms; partitions took no writes"
                + " for %s ms; a session waited for %,d ms at most, and for %,d ms before%n",
            node,
            led,
            (System.nanoTime() - startNanos) / 1_000_000,
            millis(writers.pausesSince(startNanos)),
            clients.longest().toMillis(),
            before.toMillis());
      }
      clients.awaitProgress();
      System.out.println("retried calls: " + clients.failures());

      try (Store store = cluster.node(0).connect()) {
        clients.check(store);
        assertThat(writers.lost(store)).isEmpty();
      }
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
