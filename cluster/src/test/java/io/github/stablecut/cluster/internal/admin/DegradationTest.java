package io.github.stablecut.cluster.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation.Follower;
import io.github.stablecut.cluster.PartitionReplicaLocation.Role;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.ReplicaShortage;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The text that says what a cluster lacks. */
final class DegradationTest {
  private static final RegisterLocation COMPLETE =
      new RegisterLocation("n1", List.of("n2", "n3"), List.of(), List.of(), List.of());

  private List<ReplicaShortage> shortages = List.of();
  private RegisterLocation register = COMPLETE;

  private Optional<String> degradation() {
    return Degradation.of(facts());
  }

  private ServerInfo facts() {
    return (ServerInfo)
        Proxy.newProxyInstance(
            ServerInfo.class.getClassLoader(),
            new Class<?>[] {ServerInfo.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "partitions" ->
                      Collections.nCopies(
                          12,
                          PartitionLocation.builder(0, "n1", "127.0.0.1:1")
                              .epoch(1)
                              .isReachable(true)
                              .isLed(true)
                              .build());
                  case "shortages" -> shortages;
                  case "replicationFactor" -> 3;
                  case "registerLocation" -> Optional.of(register);
                  default -> throw new AssertionError(method);
                });
  }

  private static PartitionReplicaLocation leader(
      int partition, List<String> voters, Follower... followers) {
    return PartitionReplicaLocation.builder(partition, "n1", Role.LEADS)
        .epoch(1)
        .leader("n1")
        .voters(voters)
        .records(9)
        .oldest(1)
        .committed(9)
        .isComplete(voters.size() == 3)
        .isLed(true)
        .followers(List.of(followers))
        .build();
  }

  private static Follower works(String name) {
    return new Follower(name, true, false, false, 0);
  }

  @Test
  void saysNothingWhileAllReplicasWork() {
    List<String> voters = List.of("n1", "n2", "n3");
    Follower learner = new Follower("n4", false, false, false, 7);

    assertThat(leader(0, voters, works("n2"), works("n3")).shortage()).isEmpty();
    assertThat(leader(0, voters, works("n2"), works("n3"), learner).shortage()).isEmpty();
    assertThat(degradation()).isEmpty();
    assertThat(Degradation.missingReplicas(facts())).isZero();
  }

  @Test
  void groupsPartitionsByReason() {
    List<String> voters = List.of("n1", "n2", "n3");
    List<ReplicaShortage> found = new ArrayList<>();
    for (int partition = 0; partition < 10; partition++) {
      Follower silent = new Follower("n2", true, true, false, 100L * partition);
      Follower full = new Follower("n3", true, false, true, 0);
      found.add(
          leader(partition, voters, silent, partition == 4 ? full : works("n3"))
              .shortage()
              .orElseThrow());
    }
    Follower learner = new Follower("n4", false, false, false, 7);
    found.add(leader(10, List.of("n1", "n3"), works("n3"), learner).shortage().orElseThrow());
    found.add(leader(11, List.of("n1", "n3"), works("n3")).shortage().orElseThrow());
    shortages = found;

    assertThat(Degradation.missingReplicas(facts())).isEqualTo(13);
    assertThat(degradation())
        .contains(
            "13 of 36 replicas are missing: 1 without a node (partition 11), n2 is silent"
                + " (partitions 0, 1, 2, 3, 4, 5, 6, 7 and 2 more), n4 is catching up (partition"
                + " 10), the disk of n3 is full (partition 4)");
  }

  /** While the number of replicas is reduced, there are too many for a while. */
  @Test
  void moreReplicasThanConfiguredAreNoShortage() {
    shortages = List.of(new ReplicaShortage(0, 5, List.of()));

    assertThat(degradation()).isEmpty();
  }

  @Test
  void namesTheMembersThatTheRegisterLacks() {
    register = new RegisterLocation("n1", List.of(), List.of("n2"), List.of("n3"), List.of());
    assertThat(degradation()).contains("the configuration register lacks n2, n3");

    register = RegisterLocation.unknown(List.of("n1"));
    assertThat(degradation()).contains("the configuration register has no known leader");
  }
}
