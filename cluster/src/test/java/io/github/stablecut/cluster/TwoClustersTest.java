package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two clusters with acknowledged writes whose nodes name each other as seeds detect each other when
 * they meet.
 */
class TwoClustersTest {
  private static final CounterKey KEY = Key.counter("b", "k");

  @TempDir private Path directory;

  private static long add(NodeProcess node, long number) {
    try (Store store = node.connect()) {
      store.update(KEY.increment(number));
      return store.read(KEY);
    }
  }

  private static Options with(Options options, List<String> seeds) {
    return new Options(options.name(), options.data(), options.port(), seeds, 1)
        .with(options.more().toArray(String[]::new));
  }

  /** Waits until one node ends, and returns its number. */
  private static int awaitEndedNode(TestCluster cluster) throws Exception {
    Eventually.holds(
        "one of them ends", () -> !cluster.node(0).isAlive() || !cluster.node(1).isAlive());
    return cluster.node(0).isAlive() ? 1 : 0;
  }

  @Test
  @Tag("long") // nodes wait for half a minute before they begin again without their seeds
  void bothReportTheOtherClusterAndOneEnds() throws Exception {
    List<Options> alone =
        TestCluster.options(directory, 2).stream()
            .map(one -> with(one, List.of("127.0.0.1:" + one.port())))
            .toList();
    try (TestCluster cluster = TestCluster.formBehindProxies(alone)) {
      for (int i = 0; i < 2; i++) {
        assertThat(add(cluster.node(i), 1 + i)).isEqualTo(1 + i);
        assertThat(cluster.node(i).terminate()).isZero();
      }
      String first = alone.get(0).seeds().get(0);
      String second = alone.get(1).seeds().get(0);

      cluster.restartCutOff(
          List.of(
              with(cluster.options(0), List.of(first, second)),
              with(cluster.options(1), List.of(second, first))),
          1);
      assertThat(add(cluster.node(0), 10)).isEqualTo(11);
      assertThat(add(cluster.node(1), 10)).isEqualTo(12);
      cluster.mend();

      int ended = awaitEndedNode(cluster);
      NodeProcess loser = cluster.node(ended);
      NodeProcess winner = cluster.node(1 - ended);
      assertThat(loser.exitCode()).isEqualTo(1);
      assertThat(loser.output()).contains("there are two clusters: node n" + ended);
      Eventually.holds(
          "the other node reports it too",
          () -> winner.output().contains("there are two clusters: node n" + (1 - ended)));
      JsonNode warnings = cluster.report(1 - ended).path("warnings");
      assertThat(warnings.toString()).contains("there are two clusters");
      assertThat(add(winner, 100)).isEqualTo(ended == 0 ? 112 : 111);
    }
  }
}
