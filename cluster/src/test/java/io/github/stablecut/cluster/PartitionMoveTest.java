package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.TestCluster.CommandResult;
import io.github.stablecut.cluster.command.cluster.ClusterLeave;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.cluster.command.cluster.ClusterRebalance;
import io.github.stablecut.cluster.internal.node.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Partitions move between nodes while clients write and nodes fail. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PartitionMoveTest {
  private static final int NODES = 3;
  private static final int PARTITIONS = 8;

  @TempDir static Path directory;

  private static @Nullable TestCluster formed;

  @BeforeAll
  static void form() throws Exception {
    formed = TestCluster.form(directory, NODES);
  }

  @AfterAll
  static void end() {
    cluster().close();
  }

  private static TestCluster cluster() {
    return Objects.requireNonNull(formed);
  }

  private static CommandResult move(int partition, String node) {
    return cluster().run(0, ClusterMove.command(), "" + partition, node);
  }

  private static void check(PairLoad load) throws Exception {
    load.awaitProgress();
    try (Store store = cluster().node(0).connect()) {
      load.check(store);
    }
    for (int node = 0; node < cluster().size(); node++) {
      if (cluster().node(node).isAlive()) {
        cluster().owners(node);
      }
    }
    cluster().checkOneOwnerPerEpoch();
  }

  @Test
  @Order(1)
  void refusesImpossibleMoves() throws Exception {
    cluster().awaitWhole();
    String owner = cluster().owners(0).get(3);

    assertThat(move(99, "n1").err()).contains("there is no partition 99: this cluster has 0 to 7");
    assertThat(move(3, "n7").err())
        .contains("node n7 is not among the reachable nodes, [n0, n1, n2]");
    assertThat(move(3, owner).err()).contains("partition 3 is already on node " + owner);
    assertThat(move(99, "n1").code()).isEqualTo(1);
  }

  @Test
  @Order(1)
  void refusesARepeatedMoveThatFailsInTheSameWay() throws Exception {
    cluster().awaitWhole();
    int partition = cluster().owners(0).indexOf("n2");
    Path inTheWay = Files.createDirectories(directory.resolve("n1").resolve("p" + partition));

    CommandResult first = move(partition, "n1");
    CommandResult second = move(partition, "n1");

    Files.delete(inTheWay);
    assertThat(first.err()).contains(inTheWay + " exists although another node owns partition");
    assertThat(first.code()).isEqualTo(1);
    assertThat(second).isEqualTo(first);
    assertThat(cluster().owners(0).get(partition)).isEqualTo("n2");
  }

  @Test
  @Order(2)
  void movesEveryPartitionWithoutClientsNoticing() throws Exception {
    cluster().awaitWhole();
    try (PairLoad load = new PairLoad("moved", cluster().connections())) {
      load.awaitProgress();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        int from = cluster().owners(0).get(partition).charAt(1) - '0';
        String to = "n" + (from + 1) % NODES;
        load.longestMillis();

        CommandResult result = move(partition, to);

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("partition %d is on node %s".formatted(partition, to));
        assertThat(cluster().owners(0).get(partition)).isEqualTo(to);
        load.awaitProgress();
        System.out.print(result.out());
        System.out.println("  the longest update took " + load.longestMillis() + " ms");
      }
      check(load);
      assertThat(load.failures()).isEmpty();
    }
  }

  @Test
  @Order(3)
  void aKillDuringAMoveLeavesOneOwner() throws Exception {
    crashes(20261120, 1);
  }

  @Test
  @Order(4)
  @Tag("long")
  void repeatedKillsDuringMovesLeaveOneOwner() throws Exception {
    crashes(Long.getLong("stablecut.seed", System.nanoTime()), 40);
  }

  /** Moves partitions from n1 to n2 and back, and kills one of the two at a random moment. */
  private static void crashes(long seed, int times) throws Exception {
    System.out.println("crashes in moves with -Dstablecut.seed=" + seed);
    Random random = new Random(seed);
    cluster().awaitWhole();
    try (PairLoad load = new PairLoad("crashed" + seed, cluster().connections())) {
      for (int i = 0; i < times; i++) {
        load.awaitProgress();
        List<String> owners = cluster().owners(0);
        int partition = random.nextInt(PARTITIONS);
        String to = owners.get(partition).equals("n1") ? "n2" : "n1";
        int victim = 1 + random.nextInt(2);
        Thread mover =
            new Thread(
                () -> {
                  CommandResult result = move(partition, to);
                  System.out.print(result.out() + result.err());
                });
        mover.start();
        // The approximate duration of copying and the switch.
        Thread.sleep(random.nextInt(400));
        cluster().node(victim).kill();
        cluster().restart(victim);
        mover.join();
        cluster().awaitWhole();
      }
      check(load);
    }
  }

  @Test
  @Order(5)
  void aNewNodeGetsPartitionsAndAnotherLeavesWithNone() throws Exception {
    cluster().awaitWhole();
    Options first = cluster().options(0);
    try (PairLoad load = new PairLoad("filled", cluster().connections())) {
      load.awaitProgress();
      cluster()
          .join(
              new Options(
                  "n3", directory.resolve("n3"), Ports.free(1).get(0), first.seeds(), NODES));
      cluster().awaitWhole();

      CommandResult result = cluster().run(0, ClusterRebalance.command());

      assertThat(result.err()).isEmpty();
      List<String> owners = cluster().owners(0);
      for (int node = 0; node <= NODES; node++) {
        assertThat(Collections.frequency(owners, "n" + node)).as("" + owners).isEqualTo(2);
      }

      CommandResult left = cluster().run(1, ClusterLeave.command());

      assertThat(left.err()).isEmpty();
      assertThat(cluster().node(1).exitCode()).isZero();
      assertThat(cluster().node(1).output()).contains("node n1 has left");
      Eventually.holds("it is no longer a member", () -> !cluster().hasMember(0, 1));
      assertThat(cluster().owners(0)).doesNotContain("n1");
      cluster().awaitWhole();
      check(load);
    }
    cluster().restart(1);
    cluster().awaitWhole();
    assertThat(cluster().owners(1)).doesNotContain("n1").hasSize(PARTITIONS);
  }

  @Test
  @Order(6)
  void twoNodesLeaveAtOnceAndNeitherReceivesPartitions() throws Exception {
    cluster().awaitWhole();
    CompletableFuture<CommandResult> one =
        CompletableFuture.supplyAsync(() -> cluster().run(2, ClusterLeave.command()));

    CommandResult other = cluster().run(3, ClusterLeave.command());

    assertThat(one.join().err()).isEmpty();
    assertThat(other.err()).isEmpty();
    assertThat(cluster().node(2).exitCode()).isZero();
    assertThat(cluster().node(3).exitCode()).isZero();
    assertThat(cluster().owners(0)).containsOnly("n0", "n1");
  }
}
