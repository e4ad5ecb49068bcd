package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.ClusterForget;
import io.github.stablecut.cluster.command.ClusterReplace;
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
 * Three copies of each partition on three nodes. Each of these is killed in turn and loses its
 * directory; one begins anew, another one is replaced by a node of another name, and these have
 * everything that was acknowledged when the last is gone for ever.
 */
class ReplicasKillTest {
  /** So many objects are on all three partitions, most likely. */
  private static final int KEYS = 12;

  /** A copy that ceases to lead takes seconds, on a busy machine too. */
  private static final Duration GIVING_UP = Duration.ofSeconds(40);

  /** Several times that. */
  private static final Duration HANGS = Duration.ofMinutes(5);

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      options.add(one.with("--replicas", "3", "--partitions", "3"));
    }
    return options;
  }

  /** A node of another name, which joins by way of those that are there. */
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

  /** Counts each object up until that is acknowledged; returns how long the slowest took. */
  private static long countAll(Store store) {
    long begun = System.nanoTime();
    for (int i = 0; i < KEYS; i++) {
      while (true) {
        try {
          var unused = store.update(key(i).increment(1));
          break;
        } catch (StablecutException e) {
          // Perhaps: what was not acknowledged may count, or not.
        }
      }
    }
    return (System.nanoTime() - begun) / 1_000_000;
  }

  /** Kills a node, and deletes its directory. */
  private static void lose(TestCluster cluster, int node, PairLoad load) throws Exception {
    cluster.awaitCopies();
    cluster.lose(node);
    long begun = System.nanoTime();
    load.awaitProgress();
    System.out.printf(
        "node %d is gone; writes go on after %,d ms%n",
        node, (System.nanoTime() - begun) / 1_000_000);
  }

  /** Another node takes the place of a lost one. */
  private void replace(TestCluster cluster, int lost, Options by) throws Exception {
    Eventually.holds(
        "the register answers, and a node that is there stays",
        () ->
            cluster
                .run(2, ClusterReplace.command(), "n2", by.name())
                .err()
                .contains("node n2 is there"));
    assertThat(cluster.run(2, ClusterForget.command(), "n0").err())
        .contains("have replicas, so nothing has to be lost");
    String old = cluster.options(lost).name();
    Eventually.holds(
        "the others miss it",
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
   * Two nodes are left: whether one answers from its copies while the other stands still. A copy
   * whose leader took too long to tell of the snapshot before can't answer.
   */
  private static boolean isReadWithoutLeader(TestCluster cluster, Store store) throws Exception {
    // There are leaders.
    var unused = countAll(store);
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
        // A copy that leads without the other one gives up first, and reads its log again.
        if (!Eventually.isSeen(GIVING_UP, () -> isReadable(() -> near, key))) {
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
  void whatWasAcknowledgedIsThereWhenOneNodeAfterTheOtherHasLostItsDirectory() throws Exception {
    try (TestCluster cluster = TestCluster.form(options());
        PairLoad load = new PairLoad("pairs", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();
      lose(cluster, 0, load);
      cluster.restartElsewhere(0);
      lose(cluster, 1, load);
      replace(cluster, 1, another(cluster));
      cluster.awaitCopies();
      assertThat(cluster.metric(2, "stablecut_cluster_replicas_sent_bytes_total")).isPositive();
      Eventually.holds(
          "the new replicas are told, and those that are gone are not",
          () -> {
            String status = cluster.status(0);
            return status.contains("n0~") && status.contains("n3~") && !status.contains("n1");
          });

      // The last one that was there from the beginning is gone for ever.
      try (Store store = cluster.node(0).connect()) {
        var unused = countAll(store);
        cluster.lose(2);
        System.out.printf(
            "from the kill to acknowledged writes on all partitions: %,d ms%n", countAll(store));

        load.awaitProgress();
        load.check(store);
        System.out.println("clients were told: " + load.failures());
        for (int i = 0; i < KEYS; i++) {
          assertThat(store.read(key(i))).isGreaterThanOrEqualTo(2);
        }
        Eventually.holds(
            "the replicas on a node answer without those that lead",
            HANGS,
            () -> isReadWithoutLeader(cluster, store));
      }
      assertThat(cluster.owners(1)).doesNotContain("n2");
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
