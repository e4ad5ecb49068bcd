package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Node a, with the seeds a and b, creates the plan of a new cluster or adopts one. */
class ClusterFormationTest {
  private static final NodePlan PLAN = new NodePlan(7, "b", List.of("a", "b"), true);

  private final List<MembershipAction> done = new ArrayList<>();
  private final ClusterFormation formation = formation(3);

  private ClusterFormation formation(int formWith) {
    return formation(formWith, 0);
  }

  private ClusterFormation formation(int formWith, int replicas) {
    NodeSettings settings =
        new NodeSettings(
            "a",
            Path.of("a"),
            StoreOptions.defaults().withPartitions(4),
            new NodeSettings.Endpoint("a", 1, Optional.empty()),
            new NodeSettings.Formation(List.of("a:1", "b:1"), formWith, replicas),
            NodeSettings.MoveLimits.DEFAULT);
    return new ClusterFormation(
        settings,
        () -> 7,
        done::add,
        new WaitReporter(settings, () -> 1, Optional::empty, done::add));
  }

  private static GossipedNodeState facts(String name, Optional<NodePlan> plan) {
    return GossipedNodeState.builder(name, name + ":1", 1).plan(plan).build();
  }

  private static List<GossipedNodeState> present(String... names) {
    return Stream.of(names).map(name -> facts(name, Optional.empty())).toList();
  }

  @Test
  void createsThePlanOnceAllSeedsAndEnoughNodesArePresent() {
    formation.form(present("a", "b"), true);
    formation.form(present("a", "c", "d"), true);
    assertThat(done).isEmpty();

    formation.form(present("a", "b", "c"), true);
    formation.form(present("a", "b", "c"), true);

    assertThat(done)
        .containsExactly(
            new MembershipAction.Open(
                new NodePlan(7, "a", List.of("a", "b", "c", "a"), false), List.of()));
  }

  @Test
  void spreadsReplicasOnceEnoughNodesArePresent() {
    ClusterFormation withReplicas = formation(0, 3);
    withReplicas.form(present("a", "b"), true);
    assertThat(done).noneMatch(MembershipAction.Open.class::isInstance);
    done.clear();

    withReplicas.form(present("a", "b", "c"), true);

    assertThat(done)
        .containsExactly(
            new MembershipAction.Open(
                NodePlan.spread(7, "a", List.of("a", "b", "c"), 4, 3), List.of()));
  }

  @Test
  void aReplicatedNodeWithAnEmptyDirectoryGetsANewReplicaName() {
    NodePlan plan = NodePlan.spread(7, "b", List.of("a", "b", "c"), 4, 3).formed();
    formation.adopt(
        plan,
        List.of(new GossipedNodeState.Ownership(0, "b", 9)),
        List.of(facts("b", Optional.of(plan))),
        true);

    assertThat(done)
        .containsExactly(new MembershipAction.Open(plan.of("a").renewed("a~00000007"), List.of()));
  }

  @Test
  void aKeeperWithAnEmptyDirectoryGetsANewReplicaName() {
    List<String> nodes = List.of("b", "c", "a");
    NodePlan plan = NodePlan.spread(7, "b", nodes, 1, 3).formed().withReplicas(1, nodes);
    assertThat(plan.assignedTo("a")).isEmpty();
    formation.adopt(plan, List.of(), List.of(facts("b", Optional.of(plan))), true);

    assertThat(done)
        .containsExactly(new MembershipAction.Open(plan.of("a").renewed("a~00000007"), List.of()));
  }

  @Test
  void aReplacementNodeAdoptsTheNewestPlan() {
    NodePlan old = NodePlan.spread(7, "b", List.of("b", "c", "d"), 4, 3).formed();
    NodePlan newest = old.replacing("d", "a");

    formation.adopt(
        old,
        List.of(),
        List.of(facts("b", Optional.of(old)), facts("c", Optional.of(newest))),
        true);

    assertThat(done)
        .containsExactly(
            new MembershipAction.Open(newest.of("a").renewed("a~00000007"), List.of()));
  }

  @Test
  void onlyTheFirstSeedCreatesThePlan() {
    formation.form(present("a", "b", "c"), false);

    assertThat(done).isEmpty();
  }

  @Test
  void createsNoPlanIfAMemberHasOne() {
    formation.form(
        List.of(
            facts("a", Optional.empty()),
            facts("b", Optional.of(PLAN)),
            facts("c", Optional.empty())),
        true);

    assertThat(done).isEmpty();
  }

  @Test
  void rejectsAPlanWithPartitionsThatTheNodeMustHaveLost() {
    formation.adopt(PLAN, List.of(), List.of(), false);
    assertThat(done).isEmpty();

    formation.adopt(PLAN, List.of(), List.of(), true);
    assertThat(done).singleElement().isInstanceOf(MembershipAction.Fail.class);
  }

  @Test
  void adoptsAFormedPlanOnceAllMembersAreHeard() {
    NodePlan formed = new NodePlan(7, "b", List.of("b"), true);
    formation.adopt(formed, List.of(), List.of(facts("b", Optional.of(formed))), false);
    assertThat(done).isEmpty();

    formation.adopt(formed, List.of(), List.of(facts("b", Optional.of(formed))), true);
    assertThat(done).containsExactly(new MembershipAction.Open(formed.of("a"), List.of()));
  }

  @Test
  void createsPartitionsOnceAllNodesOfThePlanArePresent() {
    NodePlan forming = new NodePlan(7, "b", List.of("a", "b", "c"), false);
    formation.adopt(forming, List.of(), List.of(facts("b", Optional.of(forming))), true);
    assertThat(done).isEmpty();

    formation.adopt(
        forming,
        List.of(),
        List.of(facts("b", Optional.of(forming)), facts("c", Optional.empty())),
        true);
    assertThat(done).containsExactly(new MembershipAction.Open(forming.of("a"), List.of()));
  }

  @Test
  void doesNotRecreatePartitionsIfAMemberKnowsTheClusterAsFormed() {
    NodePlan forming = new NodePlan(7, "b", List.of("a", "b"), false);
    formation.adopt(
        forming,
        List.of(),
        List.of(facts("b", Optional.of(forming)), facts("c", Optional.of(forming.formed()))),
        true);

    assertThat(done).singleElement().isInstanceOf(MembershipAction.Fail.class);
  }

  @Test
  void doesNotRecreatePartitionsThatOthersOwnNow() {
    GossipedNodeState.Ownership moved = new GossipedNodeState.Ownership(0, "b", 9);
    formation.adopt(PLAN, List.of(moved), List.of(), true);

    assertThat(done).containsExactly(new MembershipAction.Open(PLAN.of("a"), List.of(moved)));
  }
}
