package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.DirectoryCopy;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.PartitionMove.State;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node refuses to serve a directory that was replaced by an older copy of it. */
class OldDirectoryTest {
  private static final int KEYS = 30;

  @TempDir private Path directory;

  private List<Integer> ports = List.of();
  private final List<NodeRuntime> nodes = new ArrayList<>();

  @BeforeEach
  void form() throws Exception {
    ports = Ports.free(2);
    start(0);
    start(1);
    nodes.forEach(node -> assertThat(node.await()).isNotNull());
  }

  /** Starts n0 or n1. The list has the nodes that run or are still open. */
  private NodeRuntime start(int i) {
    NodeRuntime node =
        NodeRuntime.start(
            new NodeSettings(
                "n" + i,
                data(i),
                StoreOptions.defaults().withPartitions(2),
                new NodeSettings.Endpoint("127.0.0.1", ports.get(i), Optional.empty()),
                new NodeSettings.Formation(
                    ports.stream().map(port -> "127.0.0.1:" + port).toList(), 2),
                NodeSettings.MoveLimits.DEFAULT));
    nodes.add(node);
    return node;
  }

  private Path data(int i) {
    return directory.resolve("n" + i);
  }

  private Path copy() {
    return directory.resolve("copy");
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private static CounterKey key(int i) {
    return Key.counter("b", "k" + i);
  }

  private static void increment(NodeRuntime node) {
    for (int i = 0; i < KEYS; i++) {
      node.await().update(key(i).increment(1));
    }
  }

  private static void assertAllAre(Store store, long value) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(store.readLatest(key(i))).isEqualTo(value);
    }
  }

  /** Waits until the others can reach the restarted node too. */
  private static void awaitAllAre(Store store, long value) throws Exception {
    Eventually.holds(
        "the node reaches both partitions",
        () -> {
          try {
            assertAllAre(store, value);
            return true;
          } catch (PartitionUnavailableException e) {
            return false;
          }
        });
  }

  private static void move(NodeRuntime from, int partition, String to) throws Exception {
    from.move(partition, to);
    Eventually.holds(
        "partition " + partition + " is on " + to,
        () ->
            from.partitions().get(partition).moves().stream()
                .anyMatch(move -> move.to().equals(to) && move.state() == State.DONE));
  }

  @Test
  void refusesAnOlderCopyAndLeavesItUnchanged() throws Exception {
    NodeRuntime other = nodes.get(0);
    increment(other);
    nodes.get(1).close();
    DirectoryCopy.make(data(1), copy());
    NodeRuntime again = start(1);
    increment(again);
    again.close();
    DirectoryCopy.swap(data(1), copy());
    Map<Path, String> before = DirectoryCopy.content(data(1));

    NodeRuntime old = start(1);

    assertThatThrownBy(old::await)
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("the directory of node n1 has partition 1 at epoch 1")
        .hasMessageContaining("the other nodes know that it has it at epoch 2");
    old.close();
    assertThat(DirectoryCopy.content(data(1))).isEqualTo(before);
    DirectoryCopy.swap(data(1), copy());
    assertAllAre(start(1).await(), 2);
    awaitAllAre(other.await(), 2);
  }

  @Test
  void aNodeWithAnOlderCopyEndsWhenAllStartTogether() throws Exception {
    NodeRuntime first = nodes.get(0);
    increment(first);
    DirectoryCopy.make(data(0), copy());
    move(first, 0, "n1");
    increment(first);
    stop();
    DirectoryCopy.swap(data(0), copy());

    // It forms the cluster alone, and admits the node with the newer epoch.
    NodeRuntime old = start(0);
    NodeRuntime owner = start(1);
    Eventually.holds("it ends", () -> old.ended().isDone());

    assertThat(old.ended().join())
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("node n0 has partition 0 open at epoch 2")
        // 1001 before the partition is open there, and 1002 afterwards.
        .hasMessageContaining("node n1 owns it at epoch 100")
        .hasMessageContaining("restore the node's newest directory");
    old.close();
    DirectoryCopy.swap(data(0), copy());
    assertAllAre(start(0).await(), 2);
    awaitAllAre(owner.await(), 2);
    assertThat(owner.ended()).isNotDone();
  }

  @Test
  void servesAPartitionThatCameBackAfterARestart() throws Exception {
    NodeRuntime first = nodes.get(0);
    increment(first);
    move(first, 0, "n1");
    move(first, 0, "n0");
    increment(first);
    first.close();

    assertAllAre(start(0).await(), 2);
  }
}
