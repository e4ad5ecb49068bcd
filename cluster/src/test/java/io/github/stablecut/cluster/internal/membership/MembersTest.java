package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The knowledge of node a about itself and the nodes b and c. */
class MembersTest {
  private final AtomicLong nanos = new AtomicLong(9);
  private final Members members = new Members("a:1", nanos::get);

  MembersTest() {
    for (String address : List.of("a:1", "b:1", "c:1")) {
      members.add(address);
    }
    members.record(facts("a"));
  }

  private static GossipedNodeState facts(String name) {
    return GossipedNodeState.builder(name, name + ":1", 1).build();
  }

  /** The state of a node in a cluster with replicas. */
  private static GossipedNodeState replicas(
      String name, List<GossipedNodeState.Ownership> owned, Integer... served) {
    NodePlan plan = NodePlan.spread(4_711, name, List.of("a", "b", "c"), 8, 3);
    return GossipedNodeState.builder(name, name + ":1", 1)
        .replicas(3)
        .plan(Optional.of(plan))
        .owned(owned)
        .served(List.of(served))
        .build();
  }

  @Test
  void aPartitionIsUnservedUntilAnotherLeaderServesIt() {
    List<GossipedNodeState.Ownership> owned =
        List.of(
            new GossipedNodeState.Ownership(2, "b", 7), new GossipedNodeState.Ownership(3, "b", 7));
    members.recordHeartbeat(replicas("b", owned, 2, 3), List.of("a:1"));
    assertThat(members.unserved()).isEmpty();

    members.recordHeartbeat(replicas("b", owned, 3), List.of("a:1"));
    assertThat(members.unserved()).containsExactly(2);

    members.recordHeartbeat(
        replicas("c", List.of(new GossipedNodeState.Ownership(2, "c", 8)), 2), List.of("a:1"));
    assertThat(members.unserved()).isEmpty();
  }

  /** Members accept links of observers, which other nodes do not count. */
  @Test
  void anObserverIsReachableButNoNodeOfTheCluster() {
    says("b", "a:1");
    members.recordHeartbeat(
        GossipedNodeState.builder("c", "c:1", 1).isObserver(true).build(), List.of("a:1"));

    assertThat(members.reachable()).containsOnlyKeys("a", "b");
    assertThat(members.reachableNames()).containsExactlyInAnyOrder("a", "b", "c");
    nanos.addAndGet(Reachability.SILENCE.toNanos());
    assertThat(members.reachableNames()).containsExactly("a");
  }

  private void says(String name, String... heard) {
    members.recordHeartbeat(facts(name), List.of(heard));
  }

  /** Lets time pass while all other nodes but the silent ones send heartbeats. */
  private void pass(Duration time, String... silent) {
    for (long second = 0; second < time.toSeconds(); second++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      if (!List.of(silent).contains("b")) {
        says("b", "a:1", "c:1");
      }
      if (!List.of(silent).contains("c")) {
        says("c", "a:1", "b:1");
      }
      members.updateLost();
    }
  }

  @Test
  void ignoresReportsAboutReachableMembers() {
    says("b", "a:1", "c:1");
    says("c", "a:1");

    // The link between b and c is cut; Akka reports both as unreachable to all members.
    members.suspect("b:1");
    members.suspect("c:1");

    assertThat(members.reachable()).containsOnlyKeys("a", "b", "c");
    pass(Duration.ofSeconds(20));
    assertThat(members.mayRemove("b:1")).isFalse();
    assertThat(members.mayRemove("c:1")).isFalse();
  }

  @Test
  void aMemberIsSilentOnceNoNodeHasHeardItForSeconds() {
    says("b", "a:1", "c:1");
    says("c", "a:1", "b:1");
    assertThat(members.unreachable()).isEmpty();

    pass(Duration.ofSeconds(20), "c");
    assertThat(members.unreachable())
        .as("b still hears it")
        .containsExactly(new MembershipView.UnreachableMember("c:1", "c", false, true));

    says("b", "a:1");

    assertThat(members.unreachable())
        .containsExactly(new MembershipView.UnreachableMember("c:1", "c", true, true));
  }

  @Test
  void aMemberThatDoesNotHearThisNodeIsUnreachable() {
    says("b", "a:1", "c:1");
    says("c", "b:1");

    assertThat(members.reachable()).containsOnlyKeys("a", "b");
    assertThat(members.areAllIntroduced()).isFalse();
    assertThat(members.heardAddresses()).containsExactly("b:1", "c:1");
  }

  @Test
  void awaitsANewMemberUnlessOthersSuspectIt() {
    says("b", "a:1");
    assertThat(members.isLost("c:1")).isFalse();
    assertThat(members.areAllIntroduced()).isFalse();

    members.suspect("c:1");

    assertThat(members.isLost("c:1")).isTrue();
    assertThat(members.areAllIntroduced()).isTrue();
  }

  @Test
  void doesNotAwaitALostMember() {
    says("b", "a:1", "c:1");
    says("c", "a:1", "b:1");
    assertThat(members.areAllIntroduced()).isTrue();

    pass(Duration.ofSeconds(20), "c");

    assertThat(members.reachable()).containsOnlyKeys("a", "b");
    assertThat(members.isLost("c:1")).isTrue();
    assertThat(members.areAllIntroduced()).isTrue();
  }

  @Test
  void removesOnlyOneOfTwoMembersWithACutLink() {
    Members other = new Members("c:1", nanos::get);
    for (String address : List.of("a:1", "b:1", "c:1")) {
      other.add(address);
    }
    says("c", "a:1", "b:1");
    other.recordHeartbeat(facts("a"), List.of("b:1", "c:1"));
    for (int i = 0; i < 20; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      says("b", "a:1", "c:1");
      other.recordHeartbeat(facts("b"), List.of("a:1", "c:1"));
      members.updateLost();
      other.updateLost();
    }

    assertThat(members.mayRemove("c:1")).isTrue();
    assertThat(other.mayRemove("a:1")).isFalse();
  }

  @Test
  void mayRemoveAMemberThatNoNodeHears() {
    Members last = new Members("c:1", nanos::get);
    last.add("a:1");
    last.add("c:1");
    last.recordHeartbeat(facts("a"), List.of("c:1"));
    for (int i = 0; i < 20; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      last.updateLost();
    }

    assertThat(last.mayRemove("a:1")).isTrue();
  }

  @Test
  void aNewNodeAtAnAddressIsNotTheEarlierOne() {
    says("b", "a:1");
    assertThat(members.isReachable("b:1")).isTrue();

    members.forget("b:1");
    members.add("b:1");

    assertThat(members.isReachable("b:1")).isFalse();
    assertThat(members.isLost("b:1")).isFalse();
  }
}
