package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Admits or refuses joining nodes. Stateless. */
public final class Admission {
  private Admission() {}

  /**
   * The reason for refusing a node; empty to admit it.
   *
   * @param own the state of the node that decides
   * @param living the address of the reachable node with the newcomer's name, if there is one
   * @param clock the clock of the node that decides
   */
  public static Optional<String> refusal(
      GossipedNodeState newcomer, GossipedNodeState own, Optional<String> living, NodeClock clock) {
    if (newcomer.protocol() != own.protocol()) {
      return Optional.of(
          "node %s speaks version %d of the protocol, this cluster speaks %d: use the same version of the program"
              .formatted(newcomer.name(), newcomer.protocol(), own.protocol()));
    }
    if (living.isPresent() && !living.get().equals(newcomer.address())) {
      return Optional.of(
          "there is a node %s already, at %s, and this one is at %s: choose another name, or restart it after a few seconds if the other node has stopped"
              .formatted(newcomer.name(), living.get(), newcomer.address()));
    }
    if (newcomer.isObserver()
        && own.plan().filter(known -> known.nodes().contains(newcomer.name())).isPresent()) {
      return Optional.of(
          "node %s of this cluster has partitions or keeps the configuration register: join as an observer under another name"
              .formatted(newcomer.name()));
    }
    if (!newcomer.objectTypes().equals(own.objectTypes())
        && !(newcomer.isObserver() && newcomer.objectTypes().isEmpty())) {
      return Optional.of(
          "node %s executes the object types %s, node %s %s: start all nodes of a cluster with the same versions of the same types"
              .formatted(newcomer.name(), newcomer.objectTypes(), own.name(), own.objectTypes()));
    }
    if (!newcomer.isObserver()
        && newcomer.dataCentre().isEmpty()
        && own.dataCentre().filter(GossipedDataCentres::isAmongOthers).isPresent()) {
      return Optional.of(
          "the cluster replicates with other data centres, but node %s does not listen for them: start it with --dc-listen HOST:PORT (replication.listen), like all nodes"
              .formatted(newcomer.name()));
    }
    long apart =
        Math.abs(Timestamp.epochMillis(newcomer.clock()) - Timestamp.epochMillis(clock.now()));
    if (apart > clock.maxDrift().toMillis()) {
      return Optional.of(
          "the clock of node %s says %s and that of node %s %s, which differ by more than %s (cluster.max-clock-drift): synchronize the clocks"
              .formatted(
                  newcomer.name(),
                  Timestamp.format(newcomer.clock()),
                  own.name(),
                  Timestamp.format(clock.now()),
                  DurationWords.of(clock.maxDrift())));
    }
    if (newcomer.isObserver() && own.plan().isEmpty()) {
      return Optional.of(
          "the cluster of node %s has no partitions yet: wait until all its nodes have joined"
              .formatted(own.name()));
    }
    return newcomer.plan().isPresent()
        ? dataRefusal(newcomer, newcomer.plan().get(), own)
        : emptyDirectoryRefusal(newcomer, own);
  }

  /** The failure of a node that was removed from the cluster. */
  public static JoinRefusedException removedFailure(String node) {
    return new JoinRefusedException(
        "node %s was removed from the cluster: the others could not reach it when one of them restarted or left, or an administrator made the cluster forget it; restart the node, which reports whether it was forgotten (then its latest commits are only in its directory)"
            .formatted(node));
  }

  private static Optional<String> dataRefusal(
      GossipedNodeState newcomer, NodePlan newcomerPlan, GossipedNodeState own) {
    if (own.plan().isEmpty()) {
      return Optional.of(
          "node %s has data of store %016x, but node %s, which began the cluster, has none: start the cluster with a node that has data, or empty the directory"
              .formatted(newcomer.name(), newcomerPlan.storeId(), own.name()));
    }
    NodePlan known = own.plan().get();
    if (known.storeId() != newcomerPlan.storeId()) {
      return Optional.of(
          "node %s has data of store %016x, this cluster serves store %016x: join the other cluster, or use an empty directory"
              .formatted(newcomer.name(), newcomerPlan.storeId(), known.storeId()));
    }
    if (known.owners().size() != newcomerPlan.owners().size()) {
      return Optional.of(
          "node %s has a store of %d partitions, this cluster's has %d: restore its directory"
              .formatted(newcomer.name(), newcomerPlan.owners().size(), known.owners().size()));
    }
    return replacementRefusal(newcomer.name(), newcomerPlan, known)
        .or(() -> numbersRefusal(newcomer, known));
  }

  /**
   * The reason for refusing a node whose directory has replicas: another node replaced it. Empty if
   * none did.
   */
  static Optional<String> replacementRefusal(String node, NodePlan own, NodePlan newer) {
    return newer
        .replacedSince(own, node)
        .map(
            by ->
                "node %s was replaced by node %s, and its replicas no longer count: start it with an empty directory"
                    .formatted(node, by));
  }

  /** The reason for refusing a node with replicas that was replaced according to its own plan. */
  public static String replacedRefusal(String node) {
    return "node %s was replaced by another one, and its replicas no longer count: start it with an empty directory"
        .formatted(node);
  }

  private static Optional<String> emptyDirectoryRefusal(
      GossipedNodeState newcomer, GossipedNodeState own) {
    if (own.plan().isEmpty()) {
      if (Math.max(1, newcomer.replicas()) != Math.max(1, own.replicas())) {
        return Optional.of(
            "node %s is set to %d replicas of each partition (--replicas), but node %s, which begins the cluster, to %d: give all nodes the same number"
                .formatted(
                    newcomer.name(),
                    Math.max(1, newcomer.replicas()),
                    own.name(),
                    Math.max(1, own.replicas())));
      }
      return differ(newcomer.partitions(), own.partitions())
          ? Optional.of(
              "node %s is set to %d partitions, but node %s, which begins the cluster, to %d: use the same number, or omit it"
                  .formatted(newcomer.name(), newcomer.partitions(), own.name(), own.partitions()))
          : formWithRefusal(newcomer, own);
    }
    NodePlan known = own.plan().get();
    Optional<String> lost = lostDirectoryRefusal(newcomer.name(), known, own.owned());
    return lost.isPresent() ? lost : numbersRefusal(newcomer, known);
  }

  private static boolean differ(int one, int other) {
    return one != 0 && other != 0 && one != other;
  }

  private static Optional<String> formWithRefusal(
      GossipedNodeState newcomer, GossipedNodeState own) {
    return differ(newcomer.formWith(), own.formWith())
        ? Optional.of(
            "node %s is set to form a cluster of %d nodes (--form-with), but node %s one of %d: give all nodes the same number"
                .formatted(newcomer.name(), newcomer.formWith(), own.name(), own.formWith()))
        : Optional.empty();
  }

  /**
   * The partitions that the plan assigns to a node, but that other nodes own now. The node does not
   * recreate them when it returns with an empty directory.
   */
  static List<GossipedNodeState.Ownership> ownedElsewhere(
      String node, NodePlan known, List<GossipedNodeState.Ownership> owned) {
    Set<Integer> assigned = known.isReplicated() ? Set.of() : known.assignedTo(node);
    return owned.stream()
        .filter(one -> assigned.contains(one.partition()) && !one.node().equals(node))
        .toList();
  }

  /**
   * The reason for refusing a node with an empty directory that has had partitions.
   *
   * @param owned the known owners; they override the plan, which has the initial owners
   */
  static Optional<String> lostDirectoryRefusal(
      String node, NodePlan known, List<GossipedNodeState.Ownership> owned) {
    Set<Integer> assigned = new TreeSet<>(known.assignedTo(node));
    if (known.isReplicated()) {
      return Optional.empty();
    }
    for (GossipedNodeState.Ownership one : owned) {
      if (one.node().equals(node)) {
        assigned.add(one.partition());
      } else {
        assigned.remove(one.partition());
      }
    }
    return known.isFormed() && !assigned.isEmpty()
        ? Optional.of(
            "node %s has partitions %s of store %016x, but its directory is empty: restore it, or choose another name"
                .formatted(node, assigned, known.storeId()))
        : Optional.empty();
  }

  private static Optional<String> numbersRefusal(GossipedNodeState newcomer, NodePlan known) {
    int replicas = known.replicationFactor();
    boolean isOfBeginning =
        !known.hasChangedNumber() && newcomer.plan().filter(NodePlan::hasChangedNumber).isEmpty();
    if (isOfBeginning && newcomer.replicas() != 0 && newcomer.replicas() != replicas) {
      return Optional.of(
          "node %s is set to %d replicas of each partition (--replicas), but this cluster has %d: use the same number, or omit it"
              .formatted(newcomer.name(), newcomer.replicas(), replicas));
    }
    return newcomer.partitions() != 0 && newcomer.partitions() != known.owners().size()
        ? Optional.of(
            "node %s is set to %d partitions, but this cluster has %d: use the same number, or omit it"
                .formatted(newcomer.name(), newcomer.partitions(), known.owners().size()))
        : Optional.empty();
  }
}
