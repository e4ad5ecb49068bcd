package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A plan in which each partition gets more replicas, or fewer. */
class ReplicaSpreadTest {
  private static final List<String> THREE = List.of("n1", "n2", "n3");
  private static final List<String> FIVE = List.of("n1", "n2", "n3", "n4", "n5");
  private static final List<String> SIX = List.of("n1", "n2", "n3", "n4", "n5", "n6");

  private static NodePlan plan(List<String> nodes, int partitions, int replicas) {
    return NodePlan.spread(7, "n1", nodes, partitions, replicas).formed();
  }

  private static Collection<Integer> loads(NodePlan plan) {
    Map<String, Integer> loads = new HashMap<>();
    plan.replicas().forEach(nodes -> nodes.forEach(node -> loads.merge(node, 1, Integer::sum)));
    return new HashSet<>(loads.values());
  }

  @Test
  void nodesWithoutAReplicaGetTheMissingOnes() {
    NodePlan wider = plan(THREE, 4, 3).withReplicas(5, FIVE);

    assertThat(wider.replicas())
        .allMatch(nodes -> new HashSet<>(nodes).equals(new HashSet<>(FIVE)));
    assertThat(wider.replicas().get(1)).startsWith("n2", "n3", "n1");
    assertThat(wider.replicationFactor()).isEqualTo(5);
    assertThat(wider.hasChangedNumber()).isTrue();
  }

  @Test
  void spreadsReplicasRoughlyEvenlyAndExactlyOnRequest() {
    NodePlan wider = plan(SIX, 12, 3).withReplicas(5, SIX);
    assertThat(loads(wider)).isSubsetOf(9, 10, 11);
    assertThat(loads(wider.withReplicas(5, SIX))).containsExactly(10);

    NodePlan back = wider.withReplicas(3, SIX);

    assertThat(loads(back)).isSubsetOf(5, 6, 7);
    assertThat(loads(back.withReplicas(3, SIX))).containsExactly(6);
  }

  @Test
  void thePreferredLeaderStays() {
    NodePlan plan = plan(SIX, 12, 5);

    NodePlan fewer = plan.withReplicas(1, SIX);

    for (int number = 0; number < 12; number++) {
      assertThat(fewer.replicas().get(number)).containsExactly(plan.replicas().get(number).get(0));
    }
    assertThat(fewer.isReplicated()).isTrue();
  }

  /** By then their names are unknown. */
  @Test
  void theInitialRegisterNodesAreKnownUntilAChangeIsAgreedOn() {
    NodePlan plan = plan(SIX, 4, 3);
    assertThat(plan.firstRegisterNodes()).isEqualTo(THREE);
    assertThat(plan.withReplicas(5, SIX).firstRegisterNodes()).isEmpty();
    assertThat(plan.replacing("n2", "n9").firstRegisterNodes()).isEmpty();

    NodePlan once = plan(SIX, 4, 1);
    assertThat(once.firstRegisterNodes()).isEmpty();
    NodePlan begun = once.withRegister(new PlanChange.Register(1_000, THREE, once.owners()));
    assertThat(begun.firstRegisterNodes()).isEqualTo(THREE);
    assertThat(begun.withReplicas(3, SIX).firstRegisterNodes()).isEmpty();
  }

  @Test
  void asManyNodesAsReplicasKeepTheRegisterAndNoneStops() {
    NodePlan wider = plan(THREE, 4, 3).withReplicas(5, SIX);
    assertThat(wider.registerNodes()).isEqualTo(FIVE);

    assertThat(wider.withReplicas(1, SIX).registerNodes()).isEqualTo(FIVE);
    assertThat(wider.replacing("n2", "n9").registerNodes())
        .containsExactly("n1", "n9", "n3", "n4", "n5");
    assertThat(plan(SIX, 4, 5).withReplicas(1, SIX).nodes()).contains("n5");
    assertThat(wider.withReplicas(3, List.of("n1", "n2", "n3", "n5")).registerNodes())
        .containsExactly("n1", "n2", "n3");
  }

  @Test
  void otherNodesMakeTheSamePlanFromTheAgreedChanges() {
    NodePlan plan = plan(THREE, 4, 3);
    NodePlan newest =
        plan.withReplicas(5, FIVE)
            .replacing("n4", "n9")
            .withReplicas(3, List.of("n1", "n2", "n3", "n9", "n5"));
    assertThat(PlanChange.toTexts(newest.changes()))
        .containsExactly("5=n1+n2+n3+n4+n5", "n4>n9", "3=n1+n2+n3+n9+n5");

    assertThat(plan.with(newest.changes())).isEqualTo(newest);
    assertThat(plan.withReplicas(5, FIVE).with(newest.changes())).isEqualTo(newest);
    assertThat(newest.gone()).containsExactly("n4");
  }

  @Test
  void anUnnamedNodeGivesUpItsReplicasAndItsPartOfTheRegister() {
    NodePlan plan = plan(FIVE, 10, 3);

    NodePlan without = plan.withReplicas(3, List.of("n1", "n3", "n4", "n5"));

    assertThat(without.assignedTo("n2")).isEmpty();
    assertThat(without.nodes()).doesNotContain("n2");
    assertThat(without.registerNodes()).containsExactly("n1", "n3", "n4");
    assertThat(loads(without)).isSubsetOf(7, 8);
    for (int number = 0; number < 10; number++) {
      assertThat(without.replicas().get(number)).doesNotHaveDuplicates().hasSize(3);
    }
  }

  @Test
  void aNewNodeGetsAFairShareAndNothingElseMoves() {
    NodePlan plan = plan(THREE, 8, 3);

    NodePlan wider = plan.withReplicas(3, List.of("n1", "n2", "n3", "n4"));

    assertThat(loads(wider)).containsExactly(6);
    assertThat(wider.withReplicas(3, wider.nodes()).replicas()).isEqualTo(wider.replicas());
    assertThat(wider.registerNodes()).isEqualTo(THREE);
  }

  @Test
  void theRegisterChangeIsShortAlsoInALargeCluster() {
    List<String> nodes =
        IntStream.range(0, 100).mapToObj(i -> "machine-%05d.rack-12.example".formatted(i)).toList();
    List<String> owners =
        IntStream.range(0, 1_024).mapToObj(number -> nodes.get(number * 7 % 100)).toList();
    PlanChange.Register register = new PlanChange.Register(1_000_007, nodes.subList(3, 6), owners);

    assertThat(register.toText()).hasSizeLessThan(8_000);
    assertThat(PlanChange.parse(register.toText())).isEqualTo(register);
    assertThat(new PlanChange.Register(7, FIVE.subList(0, 1), List.of("n1", "n4", "n1")).toText())
        .isEqualTo("7@n1/n1+n4/0+1+0");
  }

  @Test
  void refusesInvalidNumbersAndNodes() {
    NodePlan plan = plan(THREE, 4, 3);

    assertThatThrownBy(() -> plan.withReplicas(5, List.of("n1", "n2", "n3", "n4")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> plan.withReplicas(2, FIVE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PlanChange.parse("n1")).isInstanceOf(IllegalArgumentException.class);
  }
}
