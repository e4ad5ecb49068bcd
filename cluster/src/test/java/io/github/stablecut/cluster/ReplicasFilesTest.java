package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterVerify;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node with an empty directory receives checkpoints where the other replicas have truncated their
 * logs, and then has every acknowledged write.
 */
@Tag("long")
class ReplicasFilesTest {
  /**
   * A cluster retains at least the sum of these ages plus twice the drift. Before the second
   * truncation it retains that once more, as the oldest checkpoint dates from then. Clocks advance
   * by some seconds when leaders change.
   */
  private static final String SETTINGS =
      """
      stablecut {
        cluster.max-clock-drift = 15 s
        store {
          retention = 0 s
          max-transaction-age = 5 s
          timeouts.commit = 5 s
          checkpoints.operations = 100
        }
      }
      """;

  @TempDir private Path directory;

  private List<Options> options() throws Exception {
    Path config = Files.writeString(directory.resolve("replicas.conf"), SETTINGS);
    List<Options> options = new ArrayList<>();
    for (Options one : TestCluster.options(directory, 3)) {
      options.add(one.with("--replicas", "3", "--partitions", "3", "--config", config.toString()));
    }
    return options;
  }

  /** The numbers of the oldest records that the replicas on a node still have. */
  private static SortedSet<Long> oldest(TestCluster cluster, int node) throws Exception {
    SortedSet<Long> oldest = new TreeSet<>();
    for (JsonNode replica : cluster.report(node).path("replicas")) {
      oldest.add(replica.path("oldest").asLong());
    }
    return oldest;
  }

  private static void lose(TestCluster cluster, int node, PairLoad load) throws Exception {
    cluster.lose(node);
    load.awaitProgress();
    cluster.restart(node);
    cluster.awaitReplicas();
  }

  @Test
  void anEmptyNodeReceivesCheckpointsWhereLogsWereTruncated() throws Exception {
    try (TestCluster cluster = TestCluster.form(options());
        PairLoad load = new PairLoad("pairs", cluster.connections())) {
      cluster.awaitWhole();
      load.awaitProgress();
      cluster.awaitReplicas();
      // The epochs of its change begin new segments in all logs.
      lose(cluster, 0, load);
      Eventually.holds("the first records are dropped", () -> oldest(cluster, 2).first() > 1);

      lose(cluster, 1, load);

      // Node 0 may lead a partition, which truncates later, as its checkpoints have other times.
      assertThat(oldest(cluster, 1).last()).isGreaterThan(1);
      cluster.node(2).kill();
      load.awaitProgress();
      try (Store store = cluster.node(1).connect()) {
        load.check(store);
      }
      cluster.restart(2);
      cluster.awaitReplicas();
      // With a checkpoint for each hundred operations, the replicas rarely have the same one
      // meanwhile.
      load.end();
      CommandResult result =
          cluster.run(
              0,
              ClusterVerify.command(),
              cluster.node(1).operations(),
              cluster.node(2).operations());
      assertThat(result.out()).contains("all is well: the replicas of 3 partitions have the same");
      cluster.checkOneOwnerPerEpoch();
    }
  }
}
