package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.cluster.ClusterForget;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A forgotten node is not lost but only cut off. */
final class ForgottenNodeTest {
  private static final String WORD = "lose-4-partitions";

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void aForgottenNodeThatReturnsEndsAndIsRefused() throws Exception {
    try (TestCluster cluster = TestCluster.formBehindProxies(TestCluster.options(directory, 2));
        Store left = cluster.node(0).connect()) {
      List<String> owners = cluster.owners(0);
      CounterKey lost =
          IntStream.range(0, 64)
              .mapToObj(i -> Key.counter("b", "k" + i))
              .filter(key -> owners.get(left.partitionOf(key)).equals("n1"))
              .findFirst()
              .orElseThrow();
      left.update(lost.increment(5));
      cluster.cutOff(1);
      Eventually.holds("it is lost", () -> forget(cluster).code() == 0);

      assertThat(forget(cluster).out())
          .contains("Make sure that the node's process has ended", WORD);
      assertThat(forget(cluster, "--confirm", WORD).code()).isZero();

      Eventually.holds("the partition is reset", () -> left.readLatest(lost) == 0);
      left.update(lost.increment(1));
      cluster.mend();

      assertThat(cluster.node(1).exitCode()).isEqualTo(1);
      assertThat(cluster.node(1).output()).contains("an administrator made the cluster forget it");
      assertThat(left.readLatest(lost)).isEqualTo(1);
      assertThatThrownBy(() -> cluster.restart(1))
          .hasMessageContaining("the cluster forgot node n1");
      assertThat(left.readLatest(lost)).isEqualTo(1);
    }
  }

  private static TestCluster.CommandResult forget(TestCluster cluster, String... more) {
    String[] arguments = new String[1 + more.length];
    arguments[0] = "n1";
    System.arraycopy(more, 0, arguments, 1, more.length);
    return cluster.run(0, ClusterForget.command(), arguments);
  }
}
