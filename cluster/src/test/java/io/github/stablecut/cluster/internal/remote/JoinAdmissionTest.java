package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NodeDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node admits a new data centre once all nodes retain what that data centre needs. */
final class JoinAdmissionTest {
  private static final String OWN = "n1";
  private static final String OTHER = "n2";

  @TempDir private Path directory;
  private NodeDirectory files;
  private NodeDataCentre known;
  private final MembershipView view = new MembershipView();
  private NodeReplicationHost host;

  @BeforeEach
  void setUp() {
    files = NodeDirectory.open(directory, OWN);
    known = new NodeDataCentre(files, true, Runnable::run);
    host =
        new NodeReplicationHost(OWN, files, known, view, Optional::empty, Duration.ZERO, () -> {});
    publish(OWN, true);
    publishGroup(group(2));
  }

  @AfterEach
  void close() {
    files.close();
  }

  private static Membership group(int members) {
    TreeMap<Integer, Member> all = new TreeMap<>();
    for (int number = 0; number < members; number++) {
      all.put(number, new Member(100 + number, Member.State.MEMBER, 0, ""));
    }
    return new Membership(1, all);
  }

  /** Publishes owners: this node has partition 0 or not, and the other node has partition 1. */
  private void publish(String acting, boolean isReachable) {
    view.publish(
        List.of(
            new MembershipView.Owner(0, acting, "127.0.0.1:1", 1, true, 0),
            new MembershipView.Owner(1, OTHER, "127.0.0.1:2", 1, isReachable, 0)),
        isReachable ? Map.of(OWN, "127.0.0.1:1", OTHER, "127.0.0.1:2") : Map.of(OWN, "127.0.0.1:1"),
        List.of());
  }

  private void publishGroup(Membership group) {
    GossipedDataCentres facts =
        new GossipedDataCentres(
            "127.0.0.1:7602",
            Optional.of(group),
            GossipedDataCentres.ClusterProgress.NOTHING,
            List.of(),
            VectorClock.ZERO);
    known.told().put(OTHER, facts);
  }

  /** Expects a refusal. The thread is interrupted, so the wait ends at once. */
  private void awaitRefusal(Membership group, String... why) {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> host.awaitKept(group))
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("no data centre can join now")
          .hasMessageContainingAll(why);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void admitsOnceAllNodesRetainTheData() {
    host.awaitKept(group(2));
    publishGroup(group(3));
    host.awaitKept(group(2));
  }

  @Test
  void refusesWhileANodeDoesNotKnowTheNewDataCentre() {
    awaitRefusal(group(3), "node n2 does not know of it");
    known.told().remove(OTHER);
    awaitRefusal(group(2), "node n2 does not know of it");
  }

  @Test
  void refusesWhileAnOwnerIsUnreachable() {
    publish(OWN, false);
    awaitRefusal(group(2), "node n2 with partition 1 can't be reached");
  }

  @Test
  void onlyTheOwnerOfTheFirstPartitionAdmitsAndReturnsTheAddresses() {
    assertThat(host.admitsElsewhere()).isEmpty();
    assertThat(host.addresses("127.0.0.1:7601"))
        .contains(List.of("127.0.0.1:7601", "127.0.0.1:7602"));

    publish(OTHER, true);

    awaitRefusal(group(2), "node n2 owns partition 0");
    assertThat(host.admitsElsewhere()).contains("127.0.0.1:7602");
    assertThat(host.addresses("127.0.0.1:7601")).isEmpty();
  }
}
