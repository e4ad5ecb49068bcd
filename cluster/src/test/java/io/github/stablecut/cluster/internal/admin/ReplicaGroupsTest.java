package io.github.stablecut.cluster.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation.Follower;
import io.github.stablecut.cluster.PartitionReplicaLocation.Role;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.console.ConsoleSource.Replica;
import io.github.stablecut.console.ConsoleSource.ReplicaGroup;
import io.github.stablecut.console.ConsoleSource.ReplicaState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node's console shows about the replicas of partitions. */
final class ReplicaGroupsTest {
  private List<PartitionReplicaLocation> replicas = List.of();
  private List<ReplicaShortage> shortages = List.of();
  private int factor = 3;

  private List<ReplicaGroup> groups() {
    return ReplicaGroups.of(
        (ServerInfo)
            Proxy.newProxyInstance(
                ServerInfo.class.getClassLoader(),
                new Class<?>[] {ServerInfo.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "partitions" ->
                          List.of(
                              new PartitionLocation(
                                  7, "n1", "h:1", 1, true, true, Duration.ZERO, List.of()));
                      case "replicas" -> replicas;
                      case "shortages" -> shortages;
                      case "replicationFactor" -> factor;
                      default -> throw new AssertionError(method);
                    }));
  }

  private static PartitionReplicaLocation own(
      String name, Role role, long records, long committed, Follower... followers) {
    return new PartitionReplicaLocation(
        7,
        name,
        role,
        1,
        "n1",
        List.of("n1", "n2", "n3"),
        records,
        1,
        committed,
        true,
        true,
        List.of(followers),
        0,
        false,
        false,
        "");
  }

  @Test
  void aLeaderKnowsHowFarTheOthersAre() {
    replicas =
        List.of(
            own(
                "n1",
                Role.LEADS,
                90,
                90,
                new Follower("n2", true, false, false, 0),
                new Follower("n3", true, true, false, 50),
                new Follower("n4", false, false, false, 30)));

    assertThat(groups())
        .containsExactly(
            new ReplicaGroup(
                7,
                "n1",
                List.of(
                    new Replica("n1", ReplicaState.LEADS, 0, 90),
                    new Replica("n2", ReplicaState.UP_TO_DATE, 0, 90),
                    new Replica("n3", ReplicaState.SILENT, 50, 90),
                    new Replica("n4", ReplicaState.LEARNS, 30, 90)),
                List.of()));
  }

  @Test
  void aFollowerKnowsItselfAndWhatTheLeaderReports() {
    replicas = List.of(own("n2", Role.FOLLOWS, 80, 90));
    shortages = List.of(new ReplicaShortage(7, 2, List.of("n3 is silent", "n4 is catching up")));

    assertThat(groups())
        .containsExactly(
            new ReplicaGroup(
                7,
                "n1",
                List.of(
                    new Replica("n1", ReplicaState.LEADS, 0, 0),
                    new Replica("n3", ReplicaState.SILENT, 0, 0),
                    new Replica("n2", ReplicaState.BEHIND, 10, 90)),
                List.of("n4 is catching up")));
  }

  @Test
  void showsNothingIfEachPartitionExistsOnce() {
    factor = 0;

    assertThat(groups()).isEmpty();
  }
}
