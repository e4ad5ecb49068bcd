package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks changes of a cluster of five nodes with three replicas of each of five partitions. */
class PlanRulesTest {
  private static final NodePlan PLAN =
      NodePlan.spread(7, "n1", List.of("n1", "n2", "n3", "n4", "n5"), 5, 3).formed();

  private final MembershipView view = new MembershipView();
  private final PlanRules rules = new PlanRules(view);

  /** Publishes the nodes that are up; the first of them leads all partitions except some. */
  private void publish(List<String> nodes, Set<Integer> withoutLeader) {
    List<MembershipView.Owner> owners = new ArrayList<>();
    for (int number = 0; number < 5; number++) {
      owners.add(
          new MembershipView.Owner(
              number, nodes.get(0), "host:1", 3, !withoutLeader.contains(number), 0));
    }
    Map<String, String> reachable =
        nodes.stream().collect(Collectors.toMap(name -> name, name -> name + ":1"));
    view.publish(owners, reachable, List.of());
  }

  @Test
  void permitsReplacingAnUnreachableNodeIfAllItsPartitionsHaveLeaders() {
    publish(List.of("n1", "n2", "n4", "n5"), Set.of());

    assertThat(rules.replacementRefusal(PLAN, "n3", "n9")).isEmpty();
  }

  @Test
  void refusesToReplaceANodeWithAReplicaOfALeaderlessPartition() {
    publish(List.of("n1", "n2", "n4", "n5"), Set.of(2, 3));

    assertThat(rules.replacementRefusal(PLAN, "n3", "n9"))
        .hasValueSatisfying(why -> assertThat(why).contains("the partitions [2] have no leader"));
    publish(List.of("n1", "n2", "n4", "n5"), Set.of(3, 4));
    assertThat(rules.replacementRefusal(PLAN, "n3", "n9")).isEmpty();
  }

  @Test
  void addsReplicasOnlyWhileAllNodesAreUpAndNoPartitionMoves() {
    NodePlan once = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 5, 1).formed();
    publish(List.of("n2", "n1", "n3"), Set.of());
    assertThat(rules.registerRefusal(once, 3)).isEmpty();
    PlanChange.Register register = rules.register(3);
    assertThat(register.owners()).containsOnly("n2");
    assertThat(register.keepers()).containsExactly("n2", "n1", "n3");
    assertThat(register.after()).isEqualTo((1L << 40) + 3);

    assertThat(rules.registerRefusal(once, 2)).isPresent();
    assertThat(rules.registerRefusal(once, 5))
        .hasValueSatisfying(why -> assertThat(why).contains("too few for 5 replicas"));
    view.recordMembers(
        Set.of("n9:1"), List.of(new MembershipView.UnreachableMember("n9:1", "n9", true, true)));
    assertThat(rules.registerRefusal(once, 3))
        .hasValueSatisfying(why -> assertThat(why).contains("but [n9] with the partitions"));
    view.recordMembers(Set.of(), List.of());
    view.recordLeaving(Set.of("n3"));
    assertThat(rules.registerRefusal(once, 3)).isPresent();
    view.recordLeaving(Set.of());
    publish(List.of("n2", "n1", "n3"), Set.of(4));
    assertThat(rules.registerRefusal(once, 3))
        .hasValueSatisfying(why -> assertThat(why).contains("with the partitions [4]"));
    publish(List.of("n2", "n1", "n3"), Set.of());
    MoveProgress move = MoveProgress.in(MoveProgress.Phase.COPYING, 1, "n2", "n3", 7);
    view.publish(view.owners(), Map.of("n1", "a", "n2", "b", "n3", "c"), List.of(move));
    assertThat(rules.registerRefusal(once, 3))
        .hasValueSatisfying(why -> assertThat(why).contains("[1] are moving"));
  }

  @Test
  void executesAnAgreedSpreadAlthoughPartitionsHaveNoLeader() {
    List<String> all = List.of("n1", "n2", "n3", "n4", "n5", "n6");
    publish(all, Set.of());
    assertThat(rules.isSpread(PLAN, Optional.empty())).isFalse();
    NodePlan spread = rules.spread(PLAN, Optional.empty());

    publish(all, Set.of(2));

    assertThat(rules.isSpread(spread, Optional.empty())).isTrue();
    assertThat(rules.isSpread(spread, Optional.of("n6"))).isFalse();
    assertThat(rules.spreadRefusal(spread, Optional.of("n6"))).isPresent();
  }

  @Test
  void refusesToReplaceANodeHeardRecently() {
    publish(List.of("n1", "n2", "n4", "n5"), Set.of());
    view.recordMembers(
        Set.of(), List.of(new MembershipView.UnreachableMember("host:3", "n3", false, false)));

    assertThat(rules.replacementRefusal(PLAN, "n3", "n9"))
        .hasValueSatisfying(
            why ->
                assertThat(why).contains("the member at host:3, which is node n3, sent a message"));
    view.recordMembers(
        Set.of(), List.of(new MembershipView.UnreachableMember("host:3", "", false, false)));
    assertThat(rules.replacementRefusal(PLAN, "n3", "n9"))
        .hasValueSatisfying(why -> assertThat(why).contains("which is perhaps node n3"));
    view.recordMembers(
        Set.of(),
        List.of(
            new MembershipView.UnreachableMember("host:3", "n3", true, true),
            new MembershipView.UnreachableMember("host:8", "n8", false, false)));
    assertThat(rules.replacementRefusal(PLAN, "n3", "n9")).isEmpty();
  }

  @Test
  void aNodeMayHaveSurplusReplicasOfAnyPartitionAfterASpread() {
    publish(List.of("n1", "n2", "n4", "n5"), Set.of(3));
    NodePlan once = PLAN.withReplicas(1, PLAN.nodes());
    assertThat(once.assignedTo("n3")).doesNotContain(3);

    assertThat(rules.replacementRefusal(once, "n3", "n9"))
        .hasValueSatisfying(why -> assertThat(why).contains("the partitions [3] have no leader"));
    assertThat(rules.mayVote(PLAN, "n3")).isEqualTo(PLAN.assignedTo("n3"));
  }

  @Test
  void refusesLiveNodesAndTakenNames() {
    publish(List.of("n1", "n2", "n4", "n5", "n8"), Set.of());

    assertThat(rules.replacementRefusal(PLAN, "n7", "n9")).isPresent();
    assertThat(rules.replacementRefusal(PLAN, "n2", "n9")).isPresent();
    assertThat(rules.replacementRefusal(PLAN, "n3", "n4")).isPresent();
    assertThat(rules.replacementRefusal(PLAN, "n3", "n8")).isEmpty();
    view.recordLeaving(Set.of("n8"));
    assertThat(rules.replacementRefusal(PLAN, "n3", "n8")).isPresent();
    assertThat(rules.replacementRefusal(PLAN, "n3", "n/9")).isPresent();
  }

  @Test
  void recognizesAReplacementThatTookEffect() {
    NodePlan once = PLAN.replacing("n3", "n9");
    assertThat(PlanRules.isReplaced(once, "n3", "n9")).isTrue();

    assertThat(PlanRules.isReplaced(PLAN, "n3", "n9")).isFalse();
    assertThat(PlanRules.isReplaced(once.replacing("n9", "n3"), "n3", "n9")).isFalse();
    assertThat(PlanRules.isReplaced(once.replacing("n9", "n3").replacing("n3", "n9"), "n3", "n9"))
        .isTrue();
  }

  @Test
  void refusesCommandsWhileReplacedNodesAreStillMembers() {
    publish(List.of("n1", "n3", "n4", "n5"), Set.of());
    NodePlan newest = PLAN.replacing("n3", "n9");

    assertThat(rules.untold(PLAN, newest, ""))
        .hasValueSatisfying(
            why -> assertThat(why).contains("[n3>n9]").contains("will end the nodes [n3]"));
    assertThat(rules.untold(newest, newest, "")).isEmpty();
    assertThat(rules.untold(PLAN, newest, "n3")).isEmpty();
    publish(List.of("n1", "n4", "n5"), Set.of());
    assertThat(rules.untold(PLAN, newest, "")).isEmpty();
  }

  @Test
  void placesFiveReplicasOnPlannedOrLiveNodes() {
    publish(List.of("n1", "n2", "n4", "n5", "n8"), Set.of());

    assertThat(rules.replicaChangeRefusal(PLAN, 5)).isEmpty();
    assertThat(rules.among(PLAN, Optional.empty()))
        .containsExactly("n1", "n2", "n3", "n4", "n5", "n8");
    view.recordLeaving(Set.of("n8"));
    assertThat(rules.among(PLAN, Optional.empty())).containsExactly("n1", "n2", "n3", "n4", "n5");
    assertThat(rules.replicaChangeRefusal(PLAN, 4))
        .hasValueSatisfying(why -> assertThat(why).contains("1, 3 or 5 replicas, not 4"));
  }

  @Test
  void refusesFiveReplicasWithTooFewNodesOrWithoutALeader() {
    publish(List.of("n1", "n2", "n3"), Set.of());
    NodePlan few = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 5, 3).formed();
    assertThat(rules.replicaChangeRefusal(few, 5))
        .hasValueSatisfying(why -> assertThat(why).contains("too few for 5 replicas"));

    publish(List.of("n1", "n2", "n3", "n4", "n5"), Set.of(4));
    assertThat(rules.replicaChangeRefusal(PLAN, 5))
        .hasValueSatisfying(why -> assertThat(why).contains("the partitions [4] have no leader"));
  }

  @Test
  void removesReplicasOnlyWhileAllNodesWithReplicasAreUp() {
    publish(List.of("n1", "n2", "n4", "n5"), Set.of());
    assertThat(rules.replicaChangeRefusal(PLAN, 1))
        .hasValueSatisfying(why -> assertThat(why).contains("the nodes [n3] are unreachable"));

    publish(List.of("n1", "n2", "n3", "n4", "n5"), Set.of());
    assertThat(rules.replicaChangeRefusal(PLAN, 1)).isEmpty();
  }

  @Test
  void aNodeReleasesItsReplicasIfEnoughNodesRemain() {
    publish(List.of("n1", "n2", "n3", "n4", "n5"), Set.of());
    assertThat(rules.spreadRefusal(PLAN, Optional.of("n2"))).isEmpty();
    assertThat(rules.among(PLAN, Optional.of("n2"))).containsExactly("n1", "n3", "n4", "n5");

    NodePlan few = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 5, 3).formed();
    publish(List.of("n1", "n2", "n3"), Set.of());
    assertThat(rules.spreadRefusal(few, Optional.of("n2")))
        .hasValueSatisfying(why -> assertThat(why).contains("start another one first"));
    publish(List.of("n1", "n2", "n3", "n4"), Set.of());
    assertThat(rules.spreadRefusal(few, Optional.of("n2"))).isEmpty();
  }
}
