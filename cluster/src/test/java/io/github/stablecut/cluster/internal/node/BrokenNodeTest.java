package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import akka.actor.ActorRef;
import akka.actor.Kill;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodeThreads;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * After an error on one of its threads, a node either continues or reports what failed and ends.
 */
class BrokenNodeTest {
  private static final CounterKey ANY = Key.counter("b", "k");

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < 2; i++) {
      nodes.add(
          NodeRuntime.start(
              new NodeSettings(
                  "n" + i,
                  directory.resolve("n" + i),
                  StoreOptions.defaults().withPartitions(2),
                  new NodeSettings.Endpoint("127.0.0.1", ports.get(i), Optional.empty()),
                  new NodeSettings.Formation(seeds, 2),
                  NodeSettings.MoveLimits.DEFAULT)));
    }
    for (NodeRuntime node : nodes) {
      node.await();
    }
    Eventually.holds(
        "all is there", () -> nodes.stream().allMatch(BrokenNodeTest::hasAllPartitions));
  }

  private static boolean hasAllPartitions(NodeRuntime node) {
    return node.nodes().equals(Set.of("n0", "n1"))
        && node.partitions().stream().allMatch(PartitionLocation::isReachable);
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  /**
   * Asserts that the first node has ended, reports why and serves nothing, while the second
   * continues.
   */
  private void assertEnded() throws Exception {
    NodeRuntime broken = nodes.get(0);
    Store store = broken.await();
    assertThat(broken.ended().join())
        .hasMessageContaining("node n0 can no longer communicate with the other nodes")
        .hasMessageContaining("restart it");
    assertThat(broken.end()).isPresent();
    assertThat(broken.nodes()).isEmpty();
    assertThat(broken.partitions()).noneMatch(PartitionLocation::isReachable);
    // Without a call of close.
    Eventually.holds("its store is closed", () -> isClosed(store));
    Eventually.holds("the other node has noticed", () -> nodes.get(1).nodes().equals(Set.of("n1")));
    assertThat(nodes.get(1).end()).isEmpty();
  }

  private static boolean isClosed(Store store) {
    try {
      store.update(ANY.increment(1));
      return false;
    } catch (StoreClosedException e) {
      return true;
    } catch (PartitionUnavailableException e) {
      return false;
    }
  }

  @Test
  void aNodeEndsIfAnErrorHitsAnActorThread() throws Exception {
    nodes
        .get(0)
        .akka()
        .system()
        .dispatcher()
        .execute(
            () -> {
              throw new OutOfMemoryError("for a test");
            });

    assertEnded();
  }

  @Test
  void aNodeEndsWhenItsActorEnds() throws Exception {
    nodes
        .get(0)
        .akka()
        .system()
        .actorSelection("/user/" + "node")
        .tell(Kill.getInstance(), ActorRef.noSender());

    assertEnded();
  }

  /** Waits until partition 0 is open on a node. */
  private void awaitMove(String to) throws Exception {
    Eventually.holds(
        "it is moved",
        () ->
            nodes.get(0).partitions().get(0).moves().stream()
                .anyMatch(
                    move -> move.to().equals(to) && move.state().equals(PartitionMove.State.DONE)));
  }

  @Test
  void aNodeContinuesAfterAnErrorOnAnyOtherThread() throws Exception {
    NodeThreads threads = nodes.get(0).threads();
    for (ExecutorService pool :
        List.of(
            threads.opening(),
            threads.handoffSend(),
            threads.handoffReceive(),
            threads.reads(),
            threads.writes(),
            threads.replies())) {
      pool.execute(
          () -> {
            throw new StackOverflowError("for a test");
          });
    }

    for (NodeRuntime node : nodes) {
      for (int i = 0; i < 20; i++) {
        CounterKey key = Key.counter("b", "k" + i);
        node.await().update(key.increment(1));
        assertThat(node.await().readLatest(key)).isPositive();
      }
    }
    nodes.get(0).move(0, "n1");
    awaitMove("n1");
    nodes.get(0).move(0, "n0");
    awaitMove("n0");
  }
}
