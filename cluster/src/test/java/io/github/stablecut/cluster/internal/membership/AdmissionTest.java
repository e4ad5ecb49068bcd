package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node that does not fit into a cluster is refused, with both values in the message. */
class AdmissionTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final NodePlan PLAN = new NodePlan(0xaa, "n1", List.of("n1", "n2", "n1"), true);

  private final NodeClock clock =
      new NodeClock(
          EmbeddedStore.clock(StoreOptions.defaults().withClock(() -> NOW)),
          NodeSettings.DEFAULT_CLOCK_DRIFT);

  private static GossipedNodeState facts(String name, Optional<NodePlan> plan) {
    return facts(GossipedNodeState.PROTOCOL, name, Duration.ZERO, 0, plan);
  }

  private static GossipedNodeState facts(
      int protocol, String name, Duration ahead, int partitions, Optional<NodePlan> plan) {
    long time = Timestamp.of(Timestamp.countAt(NOW.plus(ahead).toEpochMilli()), 0);
    return GossipedNodeState.builder(name, "127.0.0.1:7", time)
        .protocol(protocol)
        .partitions(partitions)
        .plan(plan)
        .build();
  }

  private String refusal(
      GossipedNodeState newcomer, Optional<NodePlan> ours, Optional<String> living) {
    return Admission.refusal(newcomer, facts("n1", ours), living, clock).orElse("");
  }

  @Test
  void admitsAMatchingNode() {
    assertThat(refusal(facts("n9", Optional.empty()), Optional.of(PLAN), Optional.empty()))
        .isEmpty();
    assertThat(
            refusal(
                facts("n2", Optional.of(PLAN.of("n2"))),
                Optional.of(PLAN),
                Optional.of("127.0.0.1:7")))
        .isEmpty();
    assertThat(refusal(facts("n2", Optional.empty()), Optional.empty(), Optional.empty()))
        .isEmpty();
  }

  @Test
  void refusesAnotherProtocol() {
    assertThat(
            refusal(
                facts(1, "n9", Duration.ZERO, 0, Optional.empty()),
                Optional.of(PLAN),
                Optional.empty()))
        .contains(
            "node n9 speaks version 1 of the protocol, this cluster speaks "
                + GossipedNodeState.PROTOCOL);
  }

  private static GossipedNodeState executing(String name, boolean isObserver, String... types) {
    return facts(name, isObserver ? Optional.empty() : Optional.of(PLAN)).toBuilder()
        .isObserver(isObserver)
        .objectTypes(List.of(types))
        .build();
  }

  private String refusal(GossipedNodeState newcomer, GossipedNodeState ours) {
    return Admission.refusal(newcomer, ours, Optional.empty(), clock).orElse("");
  }

  @Test
  void refusesOtherObjectTypes() {
    GossipedNodeState ours = executing("n1", false, "account 1 [pay]", "stock 1 [take]");

    assertThat(refusal(executing("n9", false, "account 1 [pay]"), ours))
        .isEqualTo(
            "node n9 executes the object types [account 1 [pay]], node n1 [account 1 [pay], stock 1"
                + " [take]]: start all nodes of a cluster with the same versions of the same"
                + " types");
    assertThat(refusal(executing("n9", false, "account 2 [pay]", "stock 1 [take]"), ours))
        .contains("account 2");
    assertThat(refusal(executing("n9", true, "account 2 [pay]"), ours)).contains("account 2");
    assertThat(refusal(executing("n9", true), ours)).isEmpty();
    assertThat(refusal(executing("n9", true, "account 1 [pay]", "stock 1 [take]"), ours)).isEmpty();
  }

  @Test
  void refusesAnObserverWithTheNameOfANodeOfThePlan() {
    List<String> nodes = List.of("n1", "n2", "n3");
    NodePlan plan = NodePlan.spread(7, "n1", nodes, 1, 3).formed().withReplicas(1, nodes);
    GossipedNodeState ours = facts("n1", Optional.of(plan));

    assertThat(refusal(executing("n3", true), ours))
        .contains("join as an observer under another name");
    assertThat(refusal(executing("n9", true), ours)).isEmpty();
    assertThat(refusal(executing("n2", true), facts("n1", Optional.of(PLAN))))
        .contains("join as an observer under another name");
  }

  @Test
  void refusesTheNameOfAReachableNode() {
    assertThat(
            refusal(
                facts("n2", Optional.of(PLAN.of("n2"))),
                Optional.of(PLAN),
                Optional.of("127.0.0.1:8")))
        .contains("a node n2 already, at 127.0.0.1:8, and this one is at 127.0.0.1:7");
  }

  @Test
  void refusesAClockThatIsTooFarOffInEitherDirection() {
    for (int seconds : new int[] {61, -61}) {
      assertThat(
              refusal(
                  facts(
                      GossipedNodeState.PROTOCOL,
                      "n9",
                      Duration.ofSeconds(seconds),
                      0,
                      Optional.empty()),
                  Optional.of(PLAN),
                  Optional.empty()))
          .contains("the clock of node n9 says 2026-11-20T1")
          .contains("and that of node n1 2026-11-20T12:00:00");
    }
    assertThat(
            refusal(
                facts(
                    GossipedNodeState.PROTOCOL, "n9", Duration.ofSeconds(59), 0, Optional.empty()),
                Optional.of(PLAN),
                Optional.empty()))
        .isEmpty();
  }

  @Test
  void refusesTheDataOfAnotherStore() {
    NodePlan other = new NodePlan(0xbb, "n2", PLAN.owners(), true);

    assertThat(refusal(facts("n2", Optional.of(other)), Optional.of(PLAN), Optional.empty()))
        .contains("store 00000000000000bb")
        .contains("store 00000000000000aa");
    assertThat(refusal(facts("n2", Optional.of(other)), Optional.empty(), Optional.empty()))
        .contains("store 00000000000000bb")
        .contains("node n1, which began the cluster, has none");
  }

  @Test
  void refusesAnotherNumberOfPartitions() {
    assertThat(
            refusal(
                facts(GossipedNodeState.PROTOCOL, "n9", Duration.ZERO, 5, Optional.empty()),
                Optional.of(PLAN),
                Optional.empty()))
        .contains("is set to 5 partitions, but this cluster has 3");
  }

  @Test
  void refusesAnEmptyDirectoryOnceTheClusterIsFormed() {
    NodePlan forming = new NodePlan(0xaa, "n1", PLAN.owners(), false);

    assertThat(refusal(facts("n2", Optional.empty()), Optional.of(PLAN), Optional.empty()))
        .contains("node n2 has partitions [1]")
        .contains("its directory is empty");
    assertThat(refusal(facts("n2", Optional.empty()), Optional.of(forming), Optional.empty()))
        .isEmpty();
  }
}
