package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.PartitionReplicaLocation.Role;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.console.ConsoleSource.Replica;
import io.github.stablecut.console.ConsoleSource.ReplicaGroup;
import io.github.stablecut.console.ConsoleSource.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The replicas of all partitions as one node knows them: of those that it leads, how far each
 * replica is; of the others, who leads and votes.
 */
final class ReplicaGroups {
  private ReplicaGroups() {}

  static List<ReplicaGroup> of(ServerInfo facts) {
    if (facts.replicationFactor() == 0) {
      return List.of();
    }
    Map<Integer, PartitionReplicaLocation> localReplicas =
        facts.replicas().stream()
            .collect(Collectors.toMap(PartitionReplicaLocation::partition, Function.identity()));
    Map<Integer, List<String>> lacks =
        facts.shortages().stream()
            .collect(
                Collectors.toMap(
                    ReplicaShortage::partition, ReplicaShortage::reasons, (one, other) -> one));
    return facts.partitions().stream()
        .map(
            location ->
                group(
                    location,
                    Optional.ofNullable(localReplicas.get(location.partition())),
                    lacks.getOrDefault(location.partition(), List.of())))
        .toList();
  }

  private static ReplicaGroup group(
      PartitionLocation location, Optional<PartitionReplicaLocation> own, List<String> lacks) {
    int number = location.partition();
    if (own.filter(one -> one.role() == Role.LEADS).isPresent()) {
      return new ReplicaGroup(number, own.get().replica(), led(own.get()), List.of());
    }
    List<Replica> known = own.map(one -> voters(one, lacks)).orElse(List.of());
    // What is said about a replica that is shown is not repeated.
    List<String> others =
        lacks.stream()
            .filter(reason -> known.stream().noneMatch(one -> reason.equals(silent(one.name()))))
            .toList();
    return new ReplicaGroup(number, location.node(), known, others);
  }

  private static String silent(String name) {
    return "%s is silent".formatted(name);
  }

  private static List<Replica> led(PartitionReplicaLocation leader) {
    List<Replica> all = new ArrayList<>();
    all.add(new Replica(leader.replica(), ReplicaState.LEADS, 0, leader.records()));
    for (PartitionReplicaLocation.Follower one : leader.followers()) {
      all.add(new Replica(one.replica(), state(one), one.behind(), leader.records()));
    }
    return all;
  }

  private static ReplicaState state(PartitionReplicaLocation.Follower one) {
    if (one.isSilent()) {
      return ReplicaState.SILENT;
    }
    if (one.isFull()) {
      return ReplicaState.FULL;
    }
    if (!one.isVoter()) {
      return ReplicaState.LEARNS;
    }
    return one.behind() > 0 ? ReplicaState.BEHIND : ReplicaState.UP_TO_DATE;
  }

  /** The voters as a follower knows them, and itself. */
  private static List<Replica> voters(PartitionReplicaLocation own, List<String> lacks) {
    List<Replica> all = new ArrayList<>();
    for (String voter : own.voters()) {
      if (!voter.equals(own.replica())) {
        ReplicaState other =
            lacks.contains(silent(voter)) ? ReplicaState.SILENT : ReplicaState.VOTES;
        all.add(new Replica(voter, voter.equals(own.leader()) ? ReplicaState.LEADS : other, 0, 0));
      }
    }
    all.add(new Replica(own.replica(), stateOfOwn(own), behind(own), own.committed()));
    return all;
  }

  private static ReplicaState stateOfOwn(PartitionReplicaLocation own) {
    if (!own.failure().isEmpty()) {
      return ReplicaState.FAILED;
    }
    if (own.isFull()) {
      return ReplicaState.FULL;
    }
    if (!own.voters().contains(own.replica())) {
      return ReplicaState.LEARNS;
    }
    return behind(own) > 0 ? ReplicaState.BEHIND : ReplicaState.UP_TO_DATE;
  }

  private static long behind(PartitionReplicaLocation own) {
    return Math.max(0, own.committed() - own.records());
  }
}
