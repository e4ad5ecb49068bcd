package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with the same seeds form one cluster, once. */
class FormationTest {
  private static final CounterKey KEY = Key.counter("b", "k");

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();
  private List<String> seeds = List.of();

  @BeforeEach
  void choosePorts() throws Exception {
    seeds = Ports.free(2).stream().map(port -> "127.0.0.1:" + port).toList();
  }

  /** Starts a node at the address of a seed. */
  private NodeRuntime start(String name, String address, List<String> knownSeeds, int formWith) {
    NodeRuntime node =
        NodeRuntime.start(
            new NodeSettings(
                name,
                directory.resolve(name),
                StoreOptions.defaults(),
                new NodeSettings.Endpoint(
                    "127.0.0.1",
                    Integer.parseInt(address.replaceFirst(".*:", "")),
                    Optional.empty()),
                new NodeSettings.Formation(knownSeeds, formWith),
                NodeSettings.MoveLimits.DEFAULT));
    nodes.add(node);
    return node;
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  @Test
  void nodesWithSeedsInDifferentOrdersFormOneCluster() throws Exception {
    NodeRuntime one = start("n1", seeds.get(0), List.of(seeds.get(0), seeds.get(1)), 1);
    NodeRuntime two = start("n2", seeds.get(1), List.of(seeds.get(1), seeds.get(0)), 1);

    var token = one.await().update(KEY.increment(1));

    assertThat(two.await().at(token).read(KEY)).isEqualTo(1);
    Eventually.holds("n1 knows n2", () -> one.nodes().equals(Set.of("n1", "n2")));
  }

  @Test
  void aNodeThatCouldNotFormAClusterJoinsTheOneOfItsSeed() throws Exception {
    List<String> sorted = seeds.stream().sorted().toList();
    NodeRuntime alone = start("n2", sorted.get(1), sorted.subList(1, 2), 1);
    // It would form the cluster together with the other node, but that one knows only itself.
    NodeRuntime both = start("n1", sorted.get(0), sorted, 1);

    var token = alone.await().update(KEY.increment(1));
    if (both.ended().isDone() || isRefused(both)) {
      both.close();
      both = start("n1", sorted.get(0), sorted, 1);
    }

    assertThat(both.await().at(token).read(KEY)).isEqualTo(1);
    assertThat(alone.end()).isEmpty();
  }

  /** Whether it has ended by itself without serving before. */
  private static boolean isRefused(NodeRuntime node) {
    try {
      return node.await() == null;
    } catch (JoinRefusedException e) {
      assertThat(e).hasMessageContaining("are in different clusters");
      return true;
    }
  }

  @Test
  void nodesWithDifferentClusterSizesRefuseEachOther() {
    NodeRuntime one = start("n1", seeds.get(0), seeds, 2);
    NodeRuntime two = start("n2", seeds.get(1), seeds, 3);
    boolean isFirst = seeds.get(0).compareTo(seeds.get(1)) < 0;

    assertThatThrownBy((isFirst ? two : one)::await)
        .isInstanceOf(JoinRefusedException.class)
        .hasMessageContaining("is set to form a cluster of " + (isFirst ? 3 : 2) + " nodes")
        .hasMessageContaining("give all nodes the same number");
  }

  @Test
  void aFounderThatHasLeftReturnsWithAnEmptyDirectory() throws Exception {
    NodeRuntime one = start("n1", seeds.get(0), seeds, 2);
    NodeRuntime two = start("n2", seeds.get(1), seeds, 2);
    one.await().update(KEY.increment(1));
    two.await().update(KEY.increment(1));
    moveAll(one, "n2", "n1");
    two.leave();
    two.close();
    NodeDirectory.delete(directory.resolve("n2"));

    NodeRuntime back = start("n2", seeds.get(1), seeds, 2);

    assertThat(back.await().readLatest(KEY)).isEqualTo(2);
    assertThat(back.partitions()).extracting(PartitionLocation::node).containsOnly("n1");
    assertThat(directory.resolve("n2").toFile().list()).noneMatch(name -> name.matches("p[0-9]+"));

    // It is an ordinary node: it gets partitions, and restarts.
    Eventually.holds("n1 knows n2", () -> one.nodes().contains("n2"));
    one.move(1, "n2");
    Eventually.holds("it is moved", () -> back.partitions().get(1).node().equals("n2"));
    back.close();
    NodeRuntime again = start("n2", seeds.get(1), seeds, 2);
    assertThat(again.await().readLatest(KEY)).isEqualTo(2);
    assertThat(again.ended()).isNotDone();
  }

  @Test
  void restartedNodesFindRememberedMembersAlthoughTheirOnlySeedIsDown() throws Exception {
    List<String> addresses =
        Ports.free(3).stream().map(port -> "127.0.0.1:" + port).sorted().toList();
    List<String> seed = addresses.subList(0, 1);
    NodeRuntime one = start("n1", addresses.get(0), seed, 3);
    NodeRuntime two = start("n2", addresses.get(1), seed, 3);
    NodeRuntime three = start("n3", addresses.get(2), seed, 3);
    for (NodeRuntime node : List.of(one, two, three)) {
      node.await();
    }
    Eventually.holds(
        "n1 and n3 remember all", () -> remembers("n1", addresses) && remembers("n3", addresses));
    one.close();
    three.close();

    NodeRuntime back = start("n3", addresses.get(2), seed, 3);
    back.await();
    Eventually.holds("n3 knows n2", () -> back.nodes().equals(Set.of("n2", "n3")));

    NodeRuntime first = start("n1", addresses.get(0), seed, 3);
    first.await();
    Eventually.holds("n1 knows all", () -> first.nodes().equals(Set.of("n1", "n2", "n3")));
    assertThat(two.end()).isEmpty();
  }

  private boolean remembers(String node, List<String> addresses) {
    try {
      String text = Files.readString(directory.resolve(node).resolve("MEMBERS"));
      return addresses.stream().allMatch(text::contains);
    } catch (IOException e) {
      return false;
    }
  }

  private static void moveAll(NodeRuntime by, String from, String to) throws Exception {
    for (PartitionLocation location : by.partitions()) {
      if (location.node().equals(from)) {
        by.move(location.partition(), to);
      }
    }
    Eventually.holds(
        "all is moved",
        () -> by.partitions().stream().allMatch(location -> location.node().equals(to)));
  }
}
