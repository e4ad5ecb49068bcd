package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a node knows of the others: a, which is this one, b and c. */
class MembersTest {
  private final AtomicLong nanos = new AtomicLong(9);
  private final Members members = new Members("a:1", nanos::get);

  MembersTest() {
    for (String address : List.of("a:1", "b:1", "c:1")) {
      members.joined(address);
    }
    members.note(facts("a"));
  }

  private static GossipedNodeState facts(String name) {
    return GossipedNodeState.builder(name, name + ":1", 1).build();
  }

  /** Of a cluster whose partitions have copies. */
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
  void nobodyServesWhatItsLastLeaderDoesNotServeAnyMoreUntilAnotherOneDoes() {
    List<GossipedNodeState.Ownership> owned =
        List.of(
            new GossipedNodeState.Ownership(2, "b", 7), new GossipedNodeState.Ownership(3, "b", 7));
    members.heard(replicas("b", owned, 2, 3), List.of("a:1"));
    assertThat(members.unserved()).isEmpty();

    members.heard(replicas("b", owned, 3), List.of("a:1"));
    assertThat(members.unserved()).containsExactly(2);

    members.heard(
        replicas("c", List.of(new GossipedNodeState.Ownership(2, "c", 8)), 2), List.of("a:1"));
    assertThat(members.unserved()).isEmpty();
  }

  private void says(String name, String... heard) {
    members.heard(facts(name), List.of(heard));
  }

  /** Others but those that are named go on saying who they are while a time passes. */
  private void pass(Duration time, String... silent) {
    for (long second = 0; second < time.toSeconds(); second++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      if (!List.of(silent).contains("b")) {
        says("b", "a:1", "c:1");
      }
      if (!List.of(silent).contains("c")) {
        says("c", "a:1", "b:1");
      }
      members.look();
    }
  }

  @Test
  void whatOthersSayOfAMemberThatThisNodeReachesDoesNotCount() {
    says("b", "a:1", "c:1");
    says("c", "a:1");

    // The link between b and c is cut; Akka tells everybody that both are unreachable.
    members.suspect("b:1");
    members.suspect("c:1");

    assertThat(members.reachable()).containsOnlyKeys("a", "b", "c");
    pass(Duration.ofSeconds(20));
    assertThat(members.isToGiveWay("b:1")).isFalse();
    assertThat(members.isToGiveWay("c:1")).isFalse();
  }

  @Test
  void aMemberIsSilentOnceNobodyHasHeardItForSeconds() {
    says("b", "a:1", "c:1");
    says("c", "a:1", "b:1");
    assertThat(members.away()).isEmpty();

    pass(Duration.ofSeconds(20), "c");
    assertThat(members.away())
        .as("b still hears it")
        .containsExactly(new MembershipView.Away("c:1", "c", false, true));

    says("b", "a:1");

    assertThat(members.away()).containsExactly(new MembershipView.Away("c:1", "c", true, true));
  }

  @Test
  void aMemberThatDoesNotHearThisNodeIsNotReachable() {
    says("b", "a:1", "c:1");
    says("c", "b:1");

    assertThat(members.reachable()).containsOnlyKeys("a", "b");
    assertThat(members.haveSpoken()).isFalse();
    assertThat(members.heard()).containsExactly("b:1", "c:1");
  }

  @Test
  void aMemberThatWasNotHeardYetIsAwaitedUnlessOthersHaveLostIt() {
    says("b", "a:1");
    assertThat(members.isLost("c:1")).isFalse();
    assertThat(members.haveSpoken()).isFalse();

    members.suspect("c:1");

    assertThat(members.isLost("c:1")).isTrue();
    assertThat(members.haveSpoken()).isTrue();
  }

  @Test
  void aMemberThatAnswersNoMoreIsLostAndNotAwaited() {
    says("b", "a:1", "c:1");
    says("c", "a:1", "b:1");
    assertThat(members.haveSpoken()).isTrue();

    pass(Duration.ofSeconds(20), "c");

    assertThat(members.reachable()).containsOnlyKeys("a", "b");
    assertThat(members.isLost("c:1")).isTrue();
    assertThat(members.haveSpoken()).isTrue();
  }

  @Test
  void ofTwoThatOnlyDoNotReachEachOtherOneIsRemoved() {
    Members other = new Members("c:1", nanos::get);
    for (String address : List.of("a:1", "b:1", "c:1")) {
      other.joined(address);
    }
    says("c", "a:1", "b:1");
    other.heard(facts("a"), List.of("b:1", "c:1"));
    for (int i = 0; i < 20; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      says("b", "a:1", "c:1");
      other.heard(facts("b"), List.of("a:1", "c:1"));
      members.look();
      other.look();
    }

    assertThat(members.isToGiveWay("c:1")).isTrue();
    assertThat(other.isToGiveWay("a:1")).isFalse();
  }

  @Test
  void whoeverNobodyReachesMayBeRemoved() {
    Members last = new Members("c:1", nanos::get);
    last.joined("a:1");
    last.joined("c:1");
    last.heard(facts("a"), List.of("c:1"));
    for (int i = 0; i < 20; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      last.look();
    }

    assertThat(last.isToGiveWay("a:1")).isTrue();
  }

  @Test
  void whoeverComesToAnAddressIsNotTheOneThatHadIt() {
    says("b", "a:1");
    assertThat(members.isReachable("b:1")).isTrue();

    members.gone("b:1");
    members.joined("b:1");

    assertThat(members.isReachable("b:1")).isFalse();
    assertThat(members.isLost("b:1")).isFalse();
  }
}
