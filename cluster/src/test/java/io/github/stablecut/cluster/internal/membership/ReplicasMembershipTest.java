package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The membership of node a in a cluster whose partitions have replicas on a, b and c. */
class ReplicasMembershipTest {
  private static final NodePlan FORMING = NodePlan.spread(0xaa, "a", List.of("a", "b", "c"), 3, 3);
  private static final NodePlan PLAN = FORMING.formed();
  private static final NodeOpening LAST = new NodeOpening("c", 7, 70);

  private final StoreOptions options = StoreOptions.defaults();
  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final List<MembershipAction> done = new ArrayList<>();

  /** The plan before partitions get replicas. */
  private static final NodePlan ONCE =
      NodePlan.spread(0xaa, "a", List.of("a", "b", "c"), 3, 1).formed();

  /** The plan in which partitions begin to get replicas. */
  private static final NodePlan BEGUN =
      ONCE.withRegister(
          new PlanChange.Register(1_000_002, List.of("a", "b", "c"), List.of("a", "b", "c")));

  private long nanos = 1;
  private MembershipContext.Status status = MembershipContext.Status.MEMBER;
  private DirectoryOpenings openings = DirectoryOpenings.NONE;
  private NodePlan plan = PLAN;
  private Optional<NodePlan> agreed = Optional.empty();
  private List<GossipedNodeState.Ownership> owned = List.of();

  private final Membership membership =
      new Membership(
          new NodeSettings(
              "a",
              Path.of("a"),
              options,
              new NodeSettings.Endpoint("a", 1, Optional.empty()),
              new NodeSettings.Formation(List.of("a:1", "b:1"), 3, 3),
              NodeSettings.MoveLimits.DEFAULT),
          new State(),
          clock);

  private final class State implements MembershipContext {
    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public GossipedNodeState facts() {
      return ReplicasMembershipTest.this.facts("a", Optional.of(plan), owned, openings);
    }

    @Override
    public List<PartitionClaim> claims() {
      return List.of();
    }

    @Override
    public Set<String> remembered() {
      return Set.of();
    }

    @Override
    public Optional<String> tlsRefusal() {
      return Optional.empty();
    }

    @Override
    public Optional<NodePlan> agreed() {
      return agreed;
    }

    @Override
    public Status status() {
      return status;
    }

    @Override
    public long uid() {
      return 1;
    }

    @Override
    public List<MemberState> members() {
      return List.of();
    }

    @Override
    public long newStoreId() {
      return 1;
    }
  }

  private GossipedNodeState facts(String name, NodePlan plan, DirectoryOpenings known) {
    return facts(name, Optional.of(plan), List.of(), known);
  }

  private GossipedNodeState facts(
      String name,
      Optional<NodePlan> known,
      List<GossipedNodeState.Ownership> leading,
      DirectoryOpenings heard) {
    return GossipedNodeState.builder(name, name + ":1", clock.now())
        .replicas(3)
        .plan(known.map(one -> one.of(name)))
        .owned(leading)
        .openings(heard)
        .served(leading.stream().map(GossipedNodeState.Ownership::partition).toList())
        .build();
  }

  private static DirectoryOpenings own(NodeOpening opening) {
    return new DirectoryOpenings(Optional.of(opening), List.of());
  }

  private static DirectoryOpenings heard(NodeOpening... openings) {
    return new DirectoryOpenings(Optional.empty(), List.of(openings));
  }

  private void on(MembershipEvent event) {
    done.addAll(membership.on(event));
  }

  /** Makes node a a member that has waited long enough for the others. */
  private void joinCluster() {
    on(new MembershipEvent.Joined("a:1"));
    on(new MembershipEvent.Joined("b:1"));
    nanos += Duration.ofSeconds(11).toNanos();
    on(new MembershipEvent.Tick());
    done.clear();
  }

  private void greets(GossipedNodeState newcomer, PartitionClaim... claims) {
    on(
        new MembershipEvent.Received(
            new MembershipMessage.Greeting(
                newcomer, Optional.of(new DirectoryEpochs(List.of(claims))), Optional.empty()),
            "sender"));
  }

  private void hears(GossipedNodeState facts) {
    on(
        new MembershipEvent.Received(
            new MembershipMessage.Heartbeat(facts, List.of("a:1")), "sender"));
  }

  private List<String> refusals() {
    return done.stream()
        .flatMap(
            action ->
                action instanceof MembershipAction.Answer answer
                        && answer.message() instanceof MembershipMessage.Refused refused
                    ? Stream.of(refused.reason())
                    : Stream.of())
        .toList();
  }

  private List<String> failures() {
    return done.stream()
        .flatMap(
            action ->
                action instanceof MembershipAction.Fail fail
                    ? Stream.of(String.valueOf(fail.why().getMessage()))
                    : Stream.of())
        .toList();
  }

  @Test
  void refusesANodeWithAnOlderDirectory() {
    openings = heard(LAST);
    joinCluster();

    greets(facts("c", PLAN, own(new NodeOpening("c", 6, 0))));

    assertThat(refusals())
        .singleElement()
        .asString()
        .contains("the directory of node c is an older image: it was opened 6 times")
        .contains("other nodes know of 7");
  }

  @Test
  void admitsTheNewestDirectoryAndARenewedReplica() {
    openings = heard(LAST);
    joinCluster();

    greets(facts("c", PLAN, own(new NodeOpening("c", 7, 0))));
    greets(facts("c", PLAN, own(new NodeOpening("c~0000002a", 1, 0))));

    assertThat(refusals()).isEmpty();
    assertThat(done).filteredOn(MembershipAction.Answer.class::isInstance).hasSize(2);
  }

  @Test
  void admitsANodeThatKnowsOfTheReplicasBeforeOthers() {
    plan = ONCE;
    owned = List.of(new GossipedNodeState.Ownership(2, "c", 1_000_003));
    joinCluster();

    greets(facts("c", BEGUN, own(new NodeOpening("c", 7, 0))));

    assertThat(refusals()).isEmpty();
    assertThat(done).filteredOn(MembershipAction.Answer.class::isInstance).hasSize(1);
  }

  @Test
  void refusesAnOlderDirectoryFromBeforeTheReplicas() {
    plan = BEGUN;
    openings = heard(LAST);
    joinCluster();

    greets(facts("c", ONCE, own(new NodeOpening("c", 6, 0))));

    assertThat(refusals()).singleElement().asString().contains("is an older image");
  }

  @Test
  void refusesAnOlderDirectoryByEpochIfNoOpeningIsKnown() {
    plan = BEGUN;
    owned = List.of(new GossipedNodeState.Ownership(2, "c", 9));
    joinCluster();

    greets(
        facts("c", ONCE, own(new NodeOpening("c", 6, 0))),
        new PartitionClaim(2, PartitionClaim.Kind.HAS, 6));

    assertThat(refusals())
        .singleElement()
        .asString()
        .contains("the other nodes know that it has it at epoch 9");
  }

  /** It was forgotten before any node had heard from it that partitions get replicas. */
  @Test
  void refusesAForgottenNodeThatAloneKnowsOfTheReplicas() {
    plan = ONCE;
    owned = List.of(new GossipedNodeState.Ownership(2, "b", 500_000));
    joinCluster();

    greets(
        facts("c", BEGUN, own(new NodeOpening("c", 7, 0))),
        new PartitionClaim(2, PartitionClaim.Kind.HAS, 6));

    assertThat(refusals()).singleElement().asString().contains("node b owns it at epoch 500000");
  }

  @Test
  void aForgottenNodeFailsOnceItHearsOfTheNewOwner() {
    plan = BEGUN;
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 6));
    joinCluster();

    hears(
        facts(
            "b",
            Optional.of(ONCE),
            List.of(new GossipedNodeState.Ownership(0, "b", 500_000)),
            DirectoryOpenings.NONE));

    assertThat(failures()).isNotEmpty().allMatch(why -> why.contains("is an older copy"));
  }

  @Test
  void aDeposedLeaderContinues() {
    plan = BEGUN;
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 1_000_003));
    joinCluster();

    hears(
        facts(
            "b",
            Optional.of(BEGUN),
            List.of(new GossipedNodeState.Ownership(0, "b", 1_000_004)),
            DirectoryOpenings.NONE));

    assertThat(failures()).isEmpty();
  }

  @Test
  void aFailingNodeRecordsNoPlan() {
    plan = ONCE;
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 6));
    joinCluster();

    hears(
        facts(
            "b",
            Optional.of(BEGUN),
            List.of(new GossipedNodeState.Ownership(0, "a", 9)),
            DirectoryOpenings.NONE));

    assertThat(failures()).isNotEmpty();
    assertThat(done).noneMatch(MembershipAction.Update.class::isInstance);
  }

  @Test
  void failsWhenAGreetingShowsThatItsDirectoryIsOlder() {
    openings = own(new NodeOpening("a", 7, 71));
    joinCluster();

    greets(facts("b", PLAN, heard(new NodeOpening("a", 7, 70))));

    assertThat(failures())
        .singleElement()
        .asString()
        .contains("the directory of node a is an older image");
  }

  @Test
  void aWaitingNodeFailsWhenAGreetingShowsThatItsDirectoryIsOlder() {
    status = MembershipContext.Status.OUTSIDE;
    openings = own(new NodeOpening("a", 6, 0));

    greets(facts("b", PLAN, heard(new NodeOpening("a", 7, 70))));

    assertThat(failures()).hasSize(1);
  }

  @Test
  void failsOnceAMemberKnowsOfALaterOpening() {
    openings = own(new NodeOpening("a", 7, 70));
    joinCluster();
    hears(facts("b", PLAN, heard(new NodeOpening("a", 7, 70))));
    assertThat(failures()).isEmpty();

    hears(facts("b", PLAN, heard(new NodeOpening("a", 8, 80))));

    assertThat(failures()).isNotEmpty();
  }

  @Test
  void admitsAReplacedNodeOnlyWithAnEmptyDirectory() {
    plan = PLAN.replacing("c", "d");
    joinCluster();

    greets(facts("c", PLAN, DirectoryOpenings.NONE));

    assertThat(refusals())
        .singleElement()
        .asString()
        .contains("node c was replaced by node d, and its replicas no longer count");
    done.clear();
    greets(facts("c", Optional.empty(), List.of(), DirectoryOpenings.NONE));
    greets(facts("b", PLAN, DirectoryOpenings.NONE));
    assertThat(refusals()).isEmpty();
  }

  @Test
  void failsOnceItHearsThatItWasReplaced() {
    joinCluster();

    hears(facts("b", PLAN.replacing("a", "d"), DirectoryOpenings.NONE));

    assertThat(failures()).singleElement().asString().contains("node a was replaced by node d");
    // Its directory must still be refused later.
    assertThat(done).noneMatch(MembershipAction.Update.class::isInstance);
  }

  @Test
  void learnsTheAgreedPlanFromTheRegister() {
    joinCluster();
    NodePlan newer = PLAN.replacing("c", "d");
    agreed = Optional.of(newer);

    on(new MembershipEvent.Tick());

    assertThat(done).contains(new MembershipAction.Update(newer));
    done.clear();
    agreed = Optional.of(PLAN.replacing("a", "d"));
    on(new MembershipEvent.Tick());
    assertThat(failures()).singleElement().asString().contains("node a was replaced by node d");
  }

  @Test
  void recordsThatAnotherNodeWasReplaced() {
    joinCluster();
    NodePlan newer = PLAN.replacing("c", "d");

    hears(facts("b", newer, DirectoryOpenings.NONE));

    assertThat(done).contains(new MembershipAction.Update(newer.of("b")));
    assertThat(failures()).isEmpty();
    plan = newer;
    done.clear();
    hears(facts("b", PLAN, DirectoryOpenings.NONE));
    hears(facts("b", newer, DirectoryOpenings.NONE));
    assertThat(done).noneMatch(MembershipAction.Update.class::isInstance);
  }

  @Test
  void recordsThatItReplacesAnotherNode() {
    plan = NodePlan.spread(0xaa, "b", List.of("b", "c", "d"), 3, 3).formed();
    joinCluster();
    NodePlan newer = plan.replacing("d", "a");

    hears(facts("b", newer, DirectoryOpenings.NONE));

    assertThat(failures()).isEmpty();
    assertThat(done).contains(new MembershipAction.Update(newer.of("b")));
  }

  @Test
  void ignoresOpeningsOfAnotherStore() {
    openings = own(new NodeOpening("a", 6, 60));
    joinCluster();
    NodePlan other = NodePlan.spread(0xbb, "a", List.of("a", "b", "c"), 3, 3).formed();

    greets(facts("b", other, heard(new NodeOpening("a", 7, 70))));

    assertThat(failures()).isEmpty();
  }

  @Test
  void isFormedOnceAllNodesOfThePlanHaveDirectories() {
    plan = FORMING;
    joinCluster();
    on(new MembershipEvent.Joined("c:1"));
    owned =
        List.of(
            new GossipedNodeState.Ownership(0, "a", 1),
            new GossipedNodeState.Ownership(1, "a", 1),
            new GossipedNodeState.Ownership(2, "a", 1));
    on(new MembershipEvent.Opened(Optional.empty()));
    hears(facts("b", FORMING, DirectoryOpenings.NONE));
    hears(facts("c", Optional.empty(), List.of(), DirectoryOpenings.NONE));
    assertThat(done).noneMatch(MembershipAction.MarkFormed.class::isInstance);

    hears(facts("c", FORMING, DirectoryOpenings.NONE));

    assertThat(done).anyMatch(MembershipAction.MarkFormed.class::isInstance);
  }
}
