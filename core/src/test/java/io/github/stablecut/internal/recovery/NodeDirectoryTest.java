package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NotAStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a node joins its cluster, its directory gets the partitions that no other node has. */
class NodeDirectoryTest {
  private static final String SELF = "[::1]:1";
  private static final NodePlan PLAN = new NodePlan(5, "n1", List.of("n1", "n2", "n1"), true);

  @TempDir private Path directory;

  private static MoveMark elsewhere(int number, long epoch) {
    return new MoveMark(0, number, "n2", epoch);
  }

  private NodeDirectory open() {
    return NodeDirectory.open(directory, "n1");
  }

  @Test
  void doesNotCreateAnotherNodesPartitionEmpty() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of(elsewhere(0, 1_005)));

      assertThat(node.numbers()).containsExactly(2);
      assertThat(node.raiseEpoch()).isEqualTo(1);
      node.complete();
    }
    try (NodeDirectory again = open()) {
      assertThat(again.claims())
          .containsExactly(
              new PartitionClaim(0, PartitionClaim.Kind.GAVE, 1_005),
              new PartitionClaim(2, PartitionClaim.Kind.HAS, 1));
      assertThat(again.raiseEpoch()).isEqualTo(2);
    }
  }

  @Test
  void aReplacementNodeStaysInThePlan() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 3, 3).formed();
    NodePlan newer = plan.replacing("n3", "n4").replacing("n2", "n5");
    try (NodeDirectory node = open()) {
      node.form(plan.renewed("n1~0000002a"), List.of());
      node.update(newer.of("n5"));
      node.update(plan.of("n2"));
    }

    try (NodeDirectory again = open()) {
      NodePlan known = again.plan().orElseThrow();
      assertThat(known).isEqualTo(newer.renewed("n1~0000002a"));
      assertThat(known.replicas().get(0)).containsExactly("n1", "n5", "n4");
      assertThat(known.registerNodes()).containsExactly("n1", "n5", "n4");
      assertThat(known.replacedSince(plan, "n2")).contains("n5");
      assertThat(known.gone()).containsExactly("n2", "n3");
      assertThat(plan.with(PlanChange.parseAll(List.of("n3>n4", "n2>n5")))).isEqualTo(newer);
    }
  }

  @Test
  void aNodeGainsAndLosesReplicasWhileItServes() throws IOException {
    List<String> nodes = List.of("n2", "n3", "n4");
    NodePlan plan = NodePlan.spread(7, "n1", nodes, 2, 3).formed();
    NodePlan wider = plan.withReplicas(5, List.of("n2", "n3", "n4", "n1", "n5"));
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      assertThat(node.raiseEpoch()).isEqualTo(1);
      node.complete();
      node.renew("n1~0000002a");
      node.createReplica(0, 17);
      node.createReplica(1, 4);
      node.register().create("JOINS");
      node.update(wider.of("n2"));
      assertThat(node.numbers()).containsExactly(0, 1);
      assertThat(node.promise(0).read()).isEqualTo(17);
      assertThat(node.opening())
          .hasValueSatisfying(opening -> assertThat(opening.replica()).isEqualTo("n1~0000002a"));
    }

    try (NodeDirectory again = open()) {
      assertThat(again.plan().orElseThrow()).isEqualTo(wider.renewed("n1~0000002a"));
      again.register().check(again.plan().orElseThrow());
      assertThat(again.register().path().resolve("JOINS")).exists();
      assertThat(again.raiseEpoch()).isEqualTo(2);
      again.complete();
      again.update(wider.withReplicas(3, nodes).of("n2"));
      again.deleteReplica(1);
      assertThat(again.numbers()).containsExactly(0);
    }
    try (NodeDirectory last = open()) {
      assertThat(last.raiseEpoch()).isEqualTo(3);
    }
  }

  @Test
  void unreplicatedPartitionsGetARegisterAndAMovedOneReturnsAsAReplica() throws IOException {
    List<String> nodes = List.of("n1", "n2", "n3");
    NodePlan plan = NodePlan.spread(7, "n1", nodes, 4, 1).formed();
    NodePlan begun =
        plan.withRegister(
            new PlanChange.Register(1_000_002, nodes, List.of("n1", "n2", "n3", "n2")));
    assertThat(plan.with(begun.changes())).isEqualTo(begun);
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      node.raiseEpoch();
      node.complete();
      node.moved().give(new MoveMark(5, 3, "n2", 1_001));
      node.beginReplicas(begun, "BEGINS");
    }

    try (NodeDirectory again = open()) {
      assertThat(again.plan().orElseThrow()).isEqualTo(begun);
      assertThat(begun.epochsAfter()).isEqualTo(1_000_002);
      again.register().check(begun);
      assertThat(again.raiseEpoch()).isEqualTo(2);
      assertThat(again.numbers()).containsExactly(0);
      assertThat(again.promise(0).read()).isEqualTo(1_000_002);
      for (int number = 1; number <= 3; number++) {
        again.createReplica(number, 1_000_004);
      }
      again.update(begun.withReplicas(3, nodes));
      assertThat(again.moved().findMark(3)).isEmpty();
    }
    try (NodeDirectory last = open()) {
      assertThat(last.raiseEpoch()).isEqualTo(1_002);
      assertThat(last.numbers()).containsExactly(0, 1, 2, 3);
      assertThat(last.plan().orElseThrow().registerNodes()).isEqualTo(nodes);
    }
  }

  @Test
  void deletesTheRemainsOfACrashWhileAReplicaArrives() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 2, 3).formed();
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      node.raiseEpoch();
    }
    Files.createDirectories(directory.resolve("p7.incoming").resolve("journal"));
    Files.createDirectories(directory.resolve("p8.old").resolve("journal"));

    try (NodeDirectory again = open()) {
      assertThat(again.raiseEpoch()).isEqualTo(2);
      assertThat(again.numbers()).containsExactly(0, 1);
    }
    assertThat(directory.resolve("p7.incoming")).doesNotExist();
    assertThat(directory.resolve("p8.old")).doesNotExist();
  }

  @Test
  void aPartitionThatThePlanMovesBetweenOthersLeavesNoMark() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of(elsewhere(1, 3)));

      assertThat(node.numbers()).containsExactly(0, 2);
      assertThat(node.moved().findMark(1)).isEmpty();
    }
  }

  @Test
  void repeatsTheCreationOfADirectoryAfterACrash() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of(elsewhere(0, 1_005)));
    }
    Files.delete(directory.resolve(NodeDirectory.NODE));
    Files.writeString(directory.resolve("p1.gone.new"), "half a ma");

    try (NodeDirectory node = open()) {
      assertThat(node.plan()).isEmpty();
      node.form(PLAN, List.of());

      assertThat(node.numbers()).containsExactly(0, 2);
      assertThat(node.moved().findMark(0)).isEmpty();
      assertThat(directory.resolve("p1.gone.new")).doesNotExist();
    }
  }

  @Test
  void deletesTheRemainsOfACrashWhileCuttingForANewDataCentre() throws IOException {
    Path left;
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of());
      left = node.dataCentre().temporary("cut-0");
      assertThat(node.dataCentre().temporary("cut-0")).isNotEqualTo(left);
      Files.writeString(left.resolve("journal"), "half");
    }

    open().close();

    assertThat(left).doesNotExist();
  }

  @Test
  void refusesADirectoryThatBelongsToNoNode() throws IOException {
    Files.writeString(directory.resolve("p1.gone.txt"), "mine");

    assertThatThrownBy(this::open)
        .isInstanceOf(NotAStoreException.class)
        .hasMessageContaining("p1.gone.txt");
  }

  @Test
  void keepsTheMembersAddresses() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of());
      assertThat(node.members(SELF)).isEmpty();
      node.remember(SELF, Set.of("127.0.0.1:2", "[::1]:1"));
      assertThat(node.members(SELF)).containsExactlyInAnyOrder("127.0.0.1:2", "[::1]:1");
    }
    try (NodeDirectory again = open()) {
      assertThat(again.members(SELF)).containsExactlyInAnyOrder("127.0.0.1:2", "[::1]:1");
    }
  }

  @Test
  void doesNotKeepTheMembersAddressesForAnotherAddressOfTheNode() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of());
      node.remember(SELF, Set.of(SELF, "127.0.0.1:2"));
    }

    try (NodeDirectory moved = open()) {
      assertThat(moved.members("127.0.0.1:2")).isEmpty();
    }
  }

  @Test
  void membersAddressesAloneMakeNoNode() throws IOException {
    try (NodeDirectory node = open()) {
      node.remember(SELF, Set.of("127.0.0.1:2"));
    }

    try (NodeDirectory again = open()) {
      assertThat(again.plan()).isEmpty();
      assertThat(again.members(SELF)).containsExactly("127.0.0.1:2");
      again.form(PLAN, List.of());
    }
  }

  @Test
  void damagedMembersAddressesKeepNoNodeFromItsPartitions() throws IOException {
    try (NodeDirectory node = open()) {
      node.form(PLAN, List.of());
      node.remember(SELF, Set.of("127.0.0.1:2"));
    }
    Path file = directory.resolve(NodeDirectory.MEMBERS);
    Files.writeString(file, Files.readString(file).replace("2", "3"));

    try (NodeDirectory again = open()) {
      assertThat(again.members(SELF)).isEmpty();
      assertThat(again.plan()).contains(PLAN);
    }
  }

  @Test
  void aNodeHasAllReplicasThatThePlanGivesIt() throws IOException {
    NodePlan spread = NodePlan.spread(7, "n2", List.of("n1", "n2", "n3", "n4"), 4, 3);
    NodePlan plan = spread.of("n1").formed();
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());

      assertThat(plan.replicas().get(3)).containsExactly("n4", "n1", "n2");
      assertThat(plan.registerNodes()).containsExactly("n1", "n2", "n3");
      assertThat(node.numbers()).containsExactly(0, 2, 3);
    }
    try (NodeDirectory again = open()) {
      assertThat(again.plan()).contains(plan);
    }
  }

  @Test
  void aVoteSurvivesARestartAndADamagedOneIsAnError() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 1, 3);
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      assertThat(node.promise(0).read()).isZero();
      node.promise(0).write(3);
      node.promise(0).write(17, 0x7b);
    }
    try (NodeDirectory again = open()) {
      assertThat(again.promise(0).read()).isEqualTo(17);
      assertThat(again.promise(0).shortened()).isEqualTo(0x7b);
      again.promise(0).write(17, 0);
      assertThat(again.promise(0).shortened()).isZero();
      Path file = directory.resolve("p0").resolve(VoteFile.NAME);
      Files.writeString(file, Files.readString(file).replace("17", "16"));

      assertThatThrownBy(() -> again.promise(0).read())
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("PROMISE is damaged");
    }
  }

  @Test
  void aNodeDoesNotStartWithoutItsVotesOrItsPartOfTheRegister() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 1, 3);
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      node.raiseEpoch();
      Files.createDirectory(node.register().path());
      node.complete();
    }
    try (NodeDirectory again = open()) {
      again.register().check(plan);
      Files.delete(again.register().path());
      Files.delete(directory.resolve("p0").resolve(VoteFile.NAME));

      assertThatThrownBy(() -> again.promise(0).read())
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("PROMISE is missing");
      assertThatThrownBy(() -> again.register().check(plan))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("register is missing");
    }
  }

  @Test
  void countsOpeningsAndRemembersThoseOfOthers() throws IOException {
    NodePlan plan = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 1, 3);
    NodeOpening first;
    List<NodeOpening> heard =
        List.of(new NodeOpening("n2", 5, -6), new NodeOpening("n3~0000002a", 1, 9));
    try (NodeDirectory node = open()) {
      assertThat(node.opening()).isEmpty();
      node.form(plan, List.of());
      assertThat(node.opening()).isEmpty();
      node.raiseEpoch();
      first = node.opening().orElseThrow();
      node.rememberOpenings(heard);
    }
    try (NodeDirectory again = open()) {
      assertThat(again.openings()).isEqualTo(heard);
      NodeOpening before = again.opening().orElseThrow();
      assertThat(before).isEqualTo(new NodeOpening("n1", 1, 0));
      assertThat(before.newerOf(List.of(first))).isEmpty();
      again.raiseEpoch();
      NodeOpening second = again.opening().orElseThrow();

      assertThat(second.count()).isEqualTo(2);
      assertThat(first.newerOf(List.of(second))).contains(second);
      assertThat(second.newerOf(List.of(first, second))).isEmpty();
      assertThat(new NodeOpening("n1", 2, 7).newerOf(List.of(second))).contains(second);
    }
    Path file = directory.resolve(NodeDirectory.OPENINGS);
    Files.writeString(file, Files.readString(file).replace("n2:5", "n2:4"));
    try (NodeDirectory damaged = open()) {
      assertThat(damaged.openings()).isEmpty();
    }
  }

  @Test
  void countsOpeningsOfANodeThatOnlyKeepsTheRegister() throws IOException {
    List<String> nodes = List.of("n2", "n3", "n1");
    NodePlan plan = NodePlan.spread(7, "n1", nodes, 1, 3).formed().withReplicas(1, nodes);
    NodeOpening first;
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      Files.createDirectories(node.register().path());
      node.raiseEpoch();
      // A crash could undo it, so it must not be reported.
      assertThat(node.opening()).isEmpty();
      node.complete();
      first = node.opening().orElseThrow();
    }

    try (NodeDirectory again = open()) {
      assertThat(again.opening()).hasValue(new NodeOpening("n1", 1, 0));
      again.raiseEpoch();
      assertThat(again.opening()).hasValue(new NodeOpening("n1", 1, 0));
      again.complete();
      assertThat(first.newerOf(List.of(again.opening().orElseThrow()))).isPresent();
    }
    try (ClosedStore closed = ClosedStore.open(directory)) {
      assertThat(closed.countOfOpenings()).isEqualTo(2);
    }
  }

  @Test
  void countsOpeningsOfANodeWithSurplusReplicasOnly() throws IOException {
    List<String> nodes = List.of("n2", "n3", "n1");
    NodePlan plan = NodePlan.spread(7, "n1", nodes, 1, 3).formed();
    NodePlan without = plan.withReplicas(1, List.of("n2", "n3"));
    try (NodeDirectory node = open()) {
      node.form(plan, List.of());
      node.raiseEpoch();
      node.complete();
      node.update(without.of("n2"));
    }

    try (NodeDirectory again = open()) {
      assertThat(again.opening()).hasValue(new NodeOpening("n1", 1, 0));
      again.raiseEpoch();
      assertThat(again.opening()).isPresent();
    }
  }
}
