package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The actions of node a, with the seeds a and b, on single events. */
class MembershipTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final NodePlan PLAN = new NodePlan(0xaa, "a", List.of("a", "b"), true);

  private static final NodePlan FORMING = new NodePlan(0xaa, "a", PLAN.owners(), false);

  private final StoreOptions options = StoreOptions.defaults().withClock(() -> NOW);
  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT);

  // The state of the node.
  private long nanos = 1;
  private MembershipContext.Status status = MembershipContext.Status.OUTSIDE;
  private Optional<NodePlan> plan = Optional.empty();
  private List<GossipedNodeState.Ownership> owned = List.of();
  private Set<String> remembered = Set.of();

  private final List<MembershipAction> done = new ArrayList<>();

  private Membership membership(List<String> seeds, boolean isObserver) {
    return new Membership(
        NodeSettings.builder(
                "a",
                Path.of("a"),
                options,
                new NodeSettings.Endpoint("a", 1, Optional.empty()),
                new NodeSettings.Formation(seeds, 0))
            .isObserver(isObserver)
            .build(),
        new State(),
        clock);
  }

  private Membership membership() {
    return membership(List.of("a:1", "b:1"), false);
  }

  /** Node a as a member of the cluster of a and b. */
  private Membership member() {
    Membership membership = membership();
    status = MembershipContext.Status.MEMBER;
    on(membership, new MembershipEvent.Joined("a:1"));
    on(membership, new MembershipEvent.Joined("b:1"));
    return membership;
  }

  private final class State implements MembershipContext {
    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public GossipedNodeState facts() {
      return MembershipTest.facts("a", clock.now(), plan, owned);
    }

    @Override
    public List<PartitionClaim> claims() {
      return List.of();
    }

    @Override
    public Set<String> remembered() {
      return remembered;
    }

    @Override
    public Optional<String> tlsRefusal() {
      return Optional.empty();
    }

    @Override
    public Optional<NodePlan> agreed() {
      return Optional.empty();
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
      return List.of(new MemberState("a:1", 1, false), new MemberState("b:1", 2, false));
    }

    @Override
    public long newStoreId() {
      return 0xbb;
    }
  }

  private static GossipedNodeState facts(
      String name, long time, Optional<NodePlan> plan, List<GossipedNodeState.Ownership> owned) {
    return facts(GossipedNodeState.PROTOCOL, name, name + ":1", time, plan, owned);
  }

  private static GossipedNodeState facts(
      int protocol,
      String name,
      String address,
      long time,
      Optional<NodePlan> plan,
      List<GossipedNodeState.Ownership> owned) {
    return GossipedNodeState.builder(name, address, time)
        .protocol(protocol)
        .plan(plan)
        .owned(owned)
        .build();
  }

  private void on(Membership membership, MembershipEvent event) {
    done.addAll(membership.on(event));
  }

  private void receive(Membership membership, MembershipMessage message) {
    on(membership, new MembershipEvent.Received(message, "sender"));
  }

  private void hears(Membership membership, GossipedNodeState facts) {
    receive(membership, new MembershipMessage.Heartbeat(facts, List.of("a:1")));
  }

  private <T extends MembershipAction> Stream<T> done(Class<T> kind) {
    return done.stream().filter(kind::isInstance).map(kind::cast);
  }

  private List<String> failures() {
    return done(MembershipAction.Fail.class).map(fail -> fail.why().getMessage()).toList();
  }

  private long ahead(Duration time) {
    return Timestamp.of(Timestamp.countAt(NOW.plus(time).toEpochMilli()), 0);
  }

  private static MembershipMessage.Refused refusal(String by, long store) {
    return new MembershipMessage.Refused(new ClusterSummary(by, 7, store, 1, 9), "go away");
  }

  private static ClusterSummary cluster(String address, long store, int nodes) {
    return new ClusterSummary(address, 7, store, nodes, 9);
  }

  @Test
  void adoptsThePlanOfAMember() {
    hears(member(), facts("b", clock.now(), Optional.of(FORMING.of("b")), List.of()));

    assertThat(done(MembershipAction.Open.class))
        .singleElement()
        .satisfies(open -> assertThat(open.plan()).isEqualTo(FORMING.of("a")));
  }

  @Test
  void ignoresHeartbeatsOfNonMembers() {
    hears(member(), facts("c", clock.now(), Optional.of(FORMING.of("c")), List.of()));

    assertThat(done(MembershipAction.Open.class)).isEmpty();
  }

  @Test
  void ignoresHeartbeatsBeforeItIsAMember() {
    Membership membership = membership();
    on(membership, new MembershipEvent.Joined("b:1"));
    hears(membership, facts("b", clock.now(), Optional.of(FORMING.of("b")), List.of()));

    assertThat(done(MembershipAction.Open.class)).isEmpty();
  }

  @Test
  void ignoresHeartbeatsOfAnotherProtocolVersion() {
    GossipedNodeState other =
        facts(
            GossipedNodeState.PROTOCOL + 1,
            "b",
            "b:1",
            clock.now(),
            Optional.of(FORMING.of("b")),
            List.of());
    hears(member(), other);

    assertThat(done(MembershipAction.Open.class)).isEmpty();
  }

  @Test
  void ignoresAMemberWhoseClockIsTooFarAhead() {
    Membership membership = member();
    long before = clock.now();
    hears(
        membership,
        facts("b", ahead(Duration.ofSeconds(61)), Optional.of(FORMING.of("b")), List.of()));

    assertThat(done(MembershipAction.Open.class)).isEmpty();
    assertThat(done(MembershipAction.Warn.class))
        .singleElement()
        .satisfies(
            warn ->
                assertThat(warn.problem())
                    .contains("the clock of node b or of this node is wrong"));
    assertThat(clock.now()).isLessThan(before + (1L << 40));
  }

  @Test
  void clockFollowsTheMembersClocks() {
    long later = ahead(Duration.ofSeconds(50));
    hears(member(), facts("b", later, Optional.empty(), List.of()));

    assertThat(clock.now()).isGreaterThanOrEqualTo(later);
  }

  @Test
  void failsIfAnotherMemberHasTheSameName() {
    Membership membership = member();
    hears(
        membership,
        facts(GossipedNodeState.PROTOCOL, "a", "b:1", clock.now(), Optional.empty(), List.of()));

    assertThat(failures()).singleElement().asString().contains("there are two nodes a");
  }

  @Test
  void failsIfItsPartitionsCannotBeOpened() {
    Membership membership = member();
    plan = Optional.of(PLAN);
    on(membership, new MembershipEvent.Opened(Optional.of(new IllegalStateException("no disk"))));
    nanos += Duration.ofSeconds(60).toNanos();
    on(membership, new MembershipEvent.Tick());

    assertThat(failures()).containsExactly("no disk");
    assertThat(done(MembershipAction.Serve.class)).isEmpty();
  }

  @Test
  void refusalByASeedOrTheSameStoreFailsAWaitingNode() {
    plan = Optional.of(PLAN);
    remembered = Set.of("a:1", "c:1");
    receive(membership(), refusal("b:1", 0xbb));
    receive(membership(), refusal("c:1", 0xaa));

    assertThat(failures()).containsExactly("go away", "go away");
  }

  @Test
  void ignoresRefusalsByAnotherStoreAtARememberedAddress() {
    plan = Optional.of(PLAN);
    remembered = Set.of("a:1", "c:1");
    receive(membership(), refusal("c:1", 0xbb));

    assertThat(failures()).isEmpty();
  }

  @Test
  void ignoresRefusalsOnceAdmitted() {
    Membership membership = membership();
    receive(membership, new MembershipMessage.Welcome(cluster("b:1", 0xaa, 1), false));
    receive(membership, refusal("b:1", 0xaa));

    assertThat(done(MembershipAction.Join.class)).hasSize(1);
    assertThat(failures()).isEmpty();
  }

  @Test
  void joinsOnlyTheFirstAdmittingMember() {
    Membership membership = membership();
    receive(membership, new MembershipMessage.Welcome(cluster("b:1", 0xaa, 1), false));
    receive(membership, new MembershipMessage.Welcome(cluster("c:1", 0xaa, 1), false));

    assertThat(done(MembershipAction.Join.class)).containsExactly(new MembershipAction.Join("b:1"));
  }

  @Test
  void contactsRememberedMembersToo() {
    plan = Optional.of(PLAN);
    remembered = Set.of("a:1", "c:1");
    on(membership(List.of("a:1"), false), new MembershipEvent.Tick());

    assertThat(done(MembershipAction.Join.class)).isEmpty();
    assertThat(done(MembershipAction.Send.class))
        .extracting(MembershipAction.Send::address)
        .containsExactly("c:1");
  }

  @Test
  void aPartitionClosedByAHandoffIsNotMissing() {
    Membership membership = member();
    plan = Optional.of(PLAN);
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 1));
    on(membership, new MembershipEvent.Opened(Optional.empty()));

    owned = List.of();
    on(membership, new MembershipEvent.Tick());
    assertThat(failures()).isEmpty();
  }

  @Test
  void failsIfItLacksAPartitionThatOthersKnowItHas() {
    Membership membership = member();
    plan = Optional.of(PLAN);
    on(membership, new MembershipEvent.Opened(Optional.empty()));

    hears(
        membership,
        facts(
            "b",
            clock.now(),
            Optional.of(PLAN.of("b")),
            List.of(new GossipedNodeState.Ownership(0, "a", 9))));
    assertThat(failures()).isNotEmpty().first().asString().contains("is an older copy");
  }

  @Test
  void remembersTheMembersOnceAllOwnersAreReachable() {
    Membership membership = member();
    plan = Optional.of(PLAN);
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 1));
    on(membership, new MembershipEvent.Opened(Optional.empty()));
    assertThat(done(MembershipAction.Remember.class)).isEmpty();

    hears(
        membership,
        facts(
            "b",
            clock.now(),
            Optional.of(PLAN.of("b")),
            List.of(new GossipedNodeState.Ownership(1, "b", 1))));
    assertThat(done(MembershipAction.Remember.class))
        .containsExactly(new MembershipAction.Remember(Set.of("a:1", "b:1")));

    remembered = Set.of("a:1", "b:1");
    done.clear();
    nanos += Duration.ofSeconds(60).toNanos();
    on(membership, new MembershipEvent.Tick());
    assertThat(done(MembershipAction.Remember.class)).isEmpty();
  }

  @Test
  void remembersOnlyTheWinningClusterWhenItEnds() {
    Membership membership = member();
    plan = Optional.of(PLAN);
    remembered = Set.of("a:1", "b:1");
    MembershipMessage apart = new MembershipMessage.Welcome(cluster("c:1", 0xaa, 9), false);
    receive(membership, apart);
    nanos += Duration.ofSeconds(10).toNanos();
    receive(membership, apart);

    assertThat(done(MembershipAction.Remember.class))
        .containsExactly(new MembershipAction.Remember(Set.of("a:1", "c:1")));
    assertThat(failures()).singleElement().asString().contains("are in different clusters");
  }

  @Test
  void clusterOfTheFirstSeedWinsIfNeitherHasAStore() {
    Membership first = member();
    MembershipMessage larger = new MembershipMessage.Welcome(cluster("b:1", 0, 9), false);
    receive(first, larger);
    nanos += Duration.ofSeconds(10).toNanos();
    receive(first, larger);
    assertThat(failures()).isEmpty();

    Membership second = membership(List.of("Z:1", "a:1"), false);
    on(second, new MembershipEvent.Tick());
    MembershipMessage smaller = new MembershipMessage.Welcome(cluster("Z:1", 0, 0), false);
    receive(second, smaller);
    nanos += Duration.ofSeconds(10).toNanos();
    receive(second, smaller);
    assertThat(failures()).singleElement().asString().contains("are in different clusters");
  }

  @Test
  void learnsFromAMemberThatTheClusterWasFormed() {
    Membership membership = member();
    plan = Optional.of(FORMING);
    hears(membership, facts("b", clock.now(), plan.map(own -> own.of("b")), List.of()));
    assertThat(done(MembershipAction.MarkFormed.class)).isEmpty();

    NodePlan other = new NodePlan(0xbb, "b", PLAN.owners(), true);
    hears(membership, facts("b", clock.now(), Optional.of(other), List.of()));
    assertThat(done(MembershipAction.MarkFormed.class)).isEmpty();

    hears(membership, facts("b", clock.now(), Optional.of(PLAN.of("b")), List.of()));
    assertThat(done(MembershipAction.MarkFormed.class)).hasSize(1);
  }

  @Test
  void servesOnceAllMembersHaveRecordedThatTheClusterIsFormed() {
    Membership membership = member();
    plan = Optional.of(FORMING);
    owned = List.of(new GossipedNodeState.Ownership(0, "a", 1));
    List<GossipedNodeState.Ownership> all =
        List.of(owned.get(0), new GossipedNodeState.Ownership(1, "b", 1));
    on(membership, new MembershipEvent.Opened(Optional.empty()));
    hears(membership, facts("b", clock.now(), Optional.of(FORMING.of("b")), all));
    assertThat(done(MembershipAction.MarkFormed.class)).isNotEmpty();
    assertThat(done(MembershipAction.Serve.class)).isEmpty();

    plan = Optional.of(PLAN);
    hears(membership, facts("b", clock.now(), Optional.of(FORMING.of("b")), all));
    assertThat(done(MembershipAction.Serve.class)).isEmpty();

    hears(membership, facts("b", clock.now(), Optional.of(PLAN.of("b")), all));
    assertThat(done(MembershipAction.Serve.class)).hasSize(1);
  }

  @Test
  void onlyAnObserverGivesUpWaiting() {
    Membership observer = membership(List.of("b:1"), true);
    Membership node = membership(List.of("b:1"), false);
    nanos += Duration.ofSeconds(21).toNanos();
    on(node, new MembershipEvent.Tick());
    assertThat(failures()).isEmpty();

    on(observer, new MembershipEvent.Tick());
    assertThat(failures()).singleElement().asString().contains("the observer gives up after 20 s");
  }
}
