package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Determines which nodes may be forgotten in a cluster of n1, n2 and n3, of which n3 is lost. */
final class ForgettingRulesTest {
  private static final NodePlan PLAN =
      NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 3, 1).formed();
  private static final Map<String, String> LEFT = Map.of("n1", "a:1", "n2", "a:2");

  private final MembershipView view = new MembershipView();
  private final ForgettingRules rules = new ForgettingRules(view);

  private static MembershipView.Owner owner(int partition, String node) {
    return new MembershipView.Owner(partition, node, "a:9", 4, LEFT.containsKey(node), 0);
  }

  private static MembershipView.UnreachableMember away(String node, boolean isSilent) {
    return new MembershipView.UnreachableMember("a:9", node, isSilent, isSilent);
  }

  private void owners(String... nodes) {
    List<MembershipView.Owner> owners =
        List.of(owner(0, nodes[0]), owner(1, nodes[1]), owner(2, nodes[2]));
    view.publish(owners, LEFT, view.moves());
  }

  private List<Integer> lost(NodePlan plan, String... nodes) {
    return rules.owned(Optional.of(plan), Set.of(nodes)).stream()
        .map(MembershipView.Owner::partition)
        .toList();
  }

  private void refuses(String why, String... nodes) {
    assertThatThrownBy(() -> lost(PLAN, nodes))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining(why);
  }

  @BeforeEach
  void loseNode() {
    owners("n1", "n2", "n3");
    view.recordMembers(Set.of("a:1", "a:2", "a:9"), List.of(away("n3", true)));
  }

  @Test
  void thePartitionsOfALostNodeAreLost() {
    assertThat(lost(PLAN, "n3")).containsExactly(2);

    owners("n3", "n2", "n3");
    assertThat(lost(PLAN, "n3")).containsExactly(0, 2);
  }

  @Test
  void anUnclaimedPartitionBelongsToItsPlannedOwner() {
    owners("n1", "n2", "");

    assertThat(lost(PLAN, "n3")).containsExactly(2);
  }

  @Test
  void partitionsThatTheLostNodeHandedOffAreNotLost() {
    owners("n1", "n2", "n1");

    assertThat(lost(PLAN, "n3")).isEmpty();
  }

  @Test
  void refusesToForgetALiveNode() {
    refuses("node n2 is running", "n2");
    refuses("node n2 is running", "n3", "n2");
  }

  @Test
  void refusesToForgetAnUnknownNode() {
    refuses("the cluster knows no node n9", "n9");
  }

  @Test
  void refusesToForgetANodeHeardRecently() {
    view.recordMembers(Set.of("a:1", "a:2", "a:9"), List.of(away("n3", false)));

    refuses("node n3 sent a heartbeat a few seconds ago", "n3");
  }

  @Test
  void refusesWhileAnotherMemberIsUnreachable() {
    view.recordMembers(
        Set.of("a:1", "a:2", "a:9", "a:8"),
        List.of(away("n3", true), new MembershipView.UnreachableMember("a:8", "n4", true, true)));

    refuses("the member at a:8, node n4, is unreachable, too", "n3");
    assertThat(lost(PLAN, "n3", "n4")).containsExactly(2);
  }

  @Test
  void refusesWhileAnotherOwnerIsUnreachable() {
    owners("n1", "n4", "n3");

    refuses("node n4, which has partition 1, is unreachable, too", "n3");
    assertThat(lost(PLAN, "n3", "n4")).containsExactly(1, 2);
  }

  @Test
  void onlyTheFirstRemainingNodeExecutesTheCommand() {
    NodePlan second = NodePlan.spread(7, "n2", List.of("n1", "n2", "n3"), 3, 1).formed();

    assertThatThrownBy(() -> lost(second, "n3"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("send it to node n1");
  }

  @Test
  void refusesWhileAPartitionWasBeingMovedAway() {
    MoveProgress move = MoveProgress.in(MoveProgress.Phase.SWITCHING, 2, "n3", "n1", 5);
    view.publish(view.owners(), LEFT, List.of(move));

    refuses("partition 2 was being moved from node n3", "n3");

    view.publish(view.owners(), LEFT, List.of(move.at(MoveProgress.Phase.FAILED)));
    assertThat(lost(PLAN, "n3")).containsExactly(2);
  }

  @Test
  void aClusterWithReplicasReplacesNodesInstead() {
    view.recordPlan(true);

    refuses("cluster replace", "n3");
  }

  @Test
  void refusesOnceAnotherNodeAnnouncesReplicas() {
    view.heardOfReplicas();

    refuses("cluster replace", "n3");
  }

  /** The plan of a cluster that adds replicas of its partitions on all nodes. */
  private static NodePlan planWithReplicas() {
    List<String> nodes = List.of("n1", "n2", "n3");
    return PLAN.withRegister(new PlanChange.Register(1_000, nodes, nodes)).withReplicas(3, nodes);
  }

  @Test
  void whileReplicasAreAddedOnlyThePartitionsOfTheLostNodeAreLost() {
    view.recordPlan(true);
    owners("n1", "", "");

    assertThat(lost(planWithReplicas(), "n3")).containsExactly(2);
  }

  @Test
  void whileReplicasAreAddedEverySoleOwnerMustBeUpOrLost() {
    view.recordPlan(true);
    view.publish(
        List.of(owner(0, "n1"), owner(1, ""), owner(2, "n3")), Map.of("n1", "a:1"), List.of());

    assertThatThrownBy(() -> lost(planWithReplicas(), "n3"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("node n2 is unreachable, too, and may have partitions");

    assertThat(lost(planWithReplicas(), "n3", "n2")).containsExactly(1, 2);
  }

  @Test
  void refusesInAClusterThatIsNotFormed() {
    NodePlan forming = NodePlan.spread(7, "n1", List.of("n1", "n2", "n3"), 3, 1);

    assertThatThrownBy(() -> lost(forming, "n3"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("not formed yet");
  }
}
