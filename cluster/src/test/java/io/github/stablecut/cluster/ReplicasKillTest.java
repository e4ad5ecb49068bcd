package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.cluster.ClusterForget;
import io.github.stablecut.cluster.command.cluster.ClusterReplace;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.SnapshotOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes have three replicas of each partition. Each node is killed in turn and loses its
 * directory: one starts with an empty directory, and another is replaced by a node of another name.
 * These two have every acknowledged write when the last one is permanently lost.
 */
class ReplicasKillTest {
  /** Enough objects to have some on all three partitions, most likely. */
  private static final int KEYS = 12;

  /** Within this time, a replica stops leading, also on a busy machine. */
  private static final Duration STEP_DOWN = Duration.ofSeconds(40);

  /** Several times {@link #STEP_DOWN}. */
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      options.add(one.with("--replicas", "3", "--partitions", "3"));
    }
    return options;
  }

  /** A node of another name, which joins through the existing nodes. */
  private Options another(TestCluster cluster) throws Exception {
    int port = Ports.free(1).get(0);
    List<String> seeds =
        List.of(0, 2).stream().map(node -> "127.0.0.1:" + cluster.options(node).port()).toList();
    return new Options("n3", directory.resolve("n3"), port, seeds, 3)
        .with("--replicas", "3", "--partitions", "3");
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "k" + number);
  }

  /** Increments each object until that is acknowledged; returns the duration of the slowest. */
  @CanIgnoreReturnValue
  private static long countAll(Store store) {
    long startNanos = System.nanoTime();
    for (int i = 0; i < KEYS; i++) {
      while (true) {
        try {
          store.update(key(i).increment(1));
          break;
        } catch (StablecutException e) {
          // An unacknowledged update may count or not.
        }
      }
    }
    return (System.nanoTime() - startNanos) / 1_000_000;
  }

  /** Kills a node and deletes its directory. */
  private static void lose(TestCluster cluster, int node, PairLoad load) throws Exception {
    cluster.awaitReplicas();
    cluster.lose(node);
    long startNanos = System.nanoTime();
    load.awaitProgress();
    System.out.printf(
        "node %d is lost; writes go on after %,d ms%n",
        node, (System.nanoTime() - startNanos) / 1_000_000);
  }

  /** Replaces a lost node by another one. */
  private void replace(TestCluster cluster, int lost, Options by) throws Exception {
    Eventually.holds(
        "the register answers, and a node that is there stays",
        () ->
            cluster
                .run(2, ClusterReplace.command(), "n2", by.name())
                .err()
                .contains("node n2 is running"));
    assertThat(cluster.run(2, ClusterForget.command(), "n0").err())
        .contains("have replicas, and the loss of a minority of them loses no data");
    String old = cluster.options(lost).name();
    Eventually.holds(
        "the others have noticed the loss",
        () -> cluster.run(2, ClusterReplace.command(), old, by.name()).code() == 0);
    cluster.replace(lost, by);
  }

  private static boolean isReadable(Supplier<Snapshot> near, CounterKey key) {
    try {
      return near.get().read(key) > 0;
    } catch (PartitionUnavailableException | ReadTimeoutException e) {
      return false;
    }
  }

  /**
   * With two nodes left, returns whether one answers from its replicas while the other is stopped.
   * A replica whose leader was too slow to announce the previous snapshot can't answer.
   */
  private static boolean isReadWithoutLeader(TestCluster cluster, Store store) throws Exception {
    // Waits until there are leaders.
    countAll(store);
    CausalToken last = store.snapshot().token();
    for (int i = 0; i < KEYS; i++) {
      CounterKey key = key(i);
      Eventually.holds("a leader answers", () -> isReadable(() -> nearest(store, last), key));
    }
    cluster.node(1).signal("STOP");
    try {
      Snapshot near = nearest(store, last);
      for (int i = 0; i < KEYS; i++) {
        CounterKey key = key(i);
        // A replica that leads without the other one steps down first, and reads its log again.
        if (!Eventually.isSeen(STEP_DOWN, () -> isReadable(() -> near, key))) {
          return false;
        }
        assertThat(near.read(key)).isGreaterThanOrEqualTo(2);
      }
      return true;
    } finally {
      cluster.node(1).signal("CONT");
    }
  }

  private static Snapshot nearest(Store store, CausalToken after) {
    return store.snapshot(SnapshotOptions.nearest().after(after));
  }

  @Test
  void noAcknowledgedWriteIsLostWhenAllNodesLoseTheirDirectoriesInTurn() throws Exception {
    try (TestCluster cluster = TestCluster.form(options());
        PairLoad load = new PairLoad("pairs", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();
      lose(cluster, 0, load);
      cluster.restartElsewhere(0);
      lose(cluster, 1, load);
      replace(cluster, 1, another(cluster));
      cluster.awaitReplicas();
      assertThat(cluster.metric(2, "stablecut_cluster_replicas_sent_bytes_total")).isPositive();
      Eventually.holds(
          "the new replicas receive records, and lost ones are forgotten",
          () -> {
            String status = cluster.status(0);
            return status.contains("n0~") && status.contains("n3~") && !status.contains("n1");
          });

      // The last original node is permanently lost.
      try (Store store = cluster.node(0).connect()) {
        countAll(store);
        cluster.lose(2);
        System.out.printf(
            "from the kill to acknowledged writes on all partitions: %,d ms%n", countAll(store));

        load.awaitProgress();
        load.check(store);
        System.out.println("failures of clients: " + load.failures());
        for (int i = 0; i < KEYS; i++) {
          assertThat(store.read(key(i))).isGreaterThanOrEqualTo(2);
        }
        Eventually.holds(
            "the replicas on a node answer without those that lead",
            TIMEOUT,
            () -> isReadWithoutLeader(cluster, store));
      }
      assertThat(cluster.owners(1)).doesNotContain("n2");
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
