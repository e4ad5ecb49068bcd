package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.FormatMethod;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The invariants of a {@link SimulatedCluster}, which hold at every step, whatever fails. They see
 * all directories and processes, which no node does. A violation throws an {@link AssertionError}.
 */
final class SimulationRules {
  /** A partition of a store. */
  private record StorePartition(long storeId, int partition) {}

  /** The number of steps after which a node no longer waits for silent members. */
  private static final int SILENCE_STEPS = 10;

  private final SimulatedCluster cluster;
  private final Set<Long> stores = new HashSet<>();

  /** The greatest epoch at which each partition was served. */
  private final Map<StorePartition, Long> served = new HashMap<>();

  private final Set<StorePartition> opened = new HashSet<>();

  SimulationRules(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  @FormatMethod
  private static void check(boolean holds, String what, Object... facts) {
    if (!holds) {
      throw new AssertionError(what.formatted(facts));
    }
  }

  private static StorePartition keyOf(SimulatedNode node, int partition) {
    return new StorePartition(node.directory().storeId(), partition);
  }

  boolean isAnyDirectoryLost() {
    return cluster.nodes.stream().anyMatch(SimulatedNode::hasLostDirectory);
  }

  /**
   * A node decides to open a plan. It must not be a new one if a member that it hears has a plan.
   */
  void checkDecision(SimulatedNode node, NodePlan plan) {
    if (node.directory().plan().isPresent() || stores.contains(plan.storeId())) {
      return;
    }
    for (SimulatedNode other : node.protocol().reached()) {
      check(
          !node.heard().contains(other.uid()) || other.directory().plan().isEmpty(),
          "%s creates a store, but hears %s, which belongs to one",
          node.name,
          other.name);
    }
  }

  /**
   * A node writes a plan. Nodes with the same seeds create one store: only while no seed belongs to
   * a store, and from all seeds and enough nodes.
   */
  void checkPlan(SimulatedNode node, NodePlan plan) {
    if (stores.add(plan.storeId())) {
      for (String seed : cluster.seeds) {
        check(
            cluster.at(seed).directory().plan().isEmpty(),
            "%s creates a store, but the seed %s belongs to one",
            node.name,
            seed);
        check(
            plan.owners().contains(cluster.at(seed).name),
            "%s creates a store without the seed %s",
            node.name,
            seed);
      }
      check(
          new HashSet<>(plan.owners()).size() >= cluster.formWith,
          "%s creates a store of too few nodes: %s",
          node.name,
          plan);
    }
    check(stores.size() == 1 || isAnyDirectoryLost(), "there are two stores");
  }

  /**
   * A partition is opened. From the newest directory, its epoch must be above all that were served,
   * unless no other directory records that the cluster was formed: then no node can know that this
   * directory was lost.
   */
  void checkOpening(SimulatedNode node, int partition, long epoch) {
    long before = served.getOrDefault(keyOf(node, partition), 0L);
    check(
        epoch > before || node.newest().isPresent() || !isFormedElsewhere(node),
        "%s opens partition %d at epoch %d, but it was served at %d",
        node.name,
        partition,
        epoch,
        before);
    opened.add(keyOf(node, partition));
  }

  private boolean isFormedElsewhere(SimulatedNode node) {
    return cluster.nodes.stream()
        .filter(other -> other != node)
        .map(SimulatedNode::directory)
        .anyMatch(other -> other.isFormed() && other.storeId() == node.directory().storeId());
  }

  /**
   * A node serves its open partitions. What an older copy of a directory serves does not count: it
   * is lost with the copy, once no node remains that has heard of it.
   */
  void recordServing(SimulatedNode node) {
    if (node.newest().isPresent()) {
      return;
    }
    node.open()
        .forEach(
            (partition, epoch) -> {
              served.merge(keyOf(node, partition), epoch, Math::max);
            });
  }

  /** A node records that the cluster is formed: all partitions must have been open. */
  void checkFormed(SimulatedNode node) {
    for (int partition = 0; partition < SimulatedNode.PARTITIONS; partition++) {
      check(
          opened.contains(keyOf(node, partition)),
          "%s records that the cluster is formed, but no node has opened partition %d",
          node.name,
          partition);
    }
  }

  /**
   * A node begins to serve. It must have recorded that the cluster is formed, and every reachable
   * member must have sent its partitions and know the node's.
   */
  void checkReadiness(SimulatedNode node) {
    check(
        node.directory().isFormed(),
        "%s serves before it has recorded that the cluster is formed",
        node.name);
    // With late messages, members appear unreachable.
    if (node.hasBeenMemberFor(SILENCE_STEPS) || !cluster.losesNothing()) {
      return;
    }
    for (SimulatedNode other : node.protocol().reached()) {
      check(
          node.heard().contains(other.uid()),
          "%s serves before it has heard %s",
          node.name,
          other.name);
      if (other.protocol().reached().contains(node)) {
        node.open().forEach((partition, epoch) -> checkAware(other, node, partition, epoch));
      }
    }
  }

  private static void checkAware(SimulatedNode one, SimulatedNode owner, int partition, long at) {
    List<MembershipView.Owner> owners = one.owners();
    check(
        owners.isEmpty() || owners.get(partition).epoch() >= at,
        "%s serves before %s knows that it has partition %d",
        owner.name,
        one.name,
        partition);
  }

  /** No member admits a node with an older copy of its directory if it knows of a newer one. */
  void checkAdmission(SimulatedNode member, SimulatedNode newcomer) {
    if (newcomer.newest().isEmpty() || newcomer.protocol().isMember()) {
      return;
    }
    SimulatedDirectory old = newcomer.directory();
    for (MembershipView.Owner known : member.owners()) {
      boolean isHarmful =
          known.node().equals(newcomer.name) || old.has().containsKey(known.partition());
      check(
          !isHarmful
              || !old.lacks(
                  new GossipedNodeState.Ownership(known.partition(), known.node(), known.epoch()),
                  newcomer.newest().get()),
          "%s admits %s with an older copy, although it knows of %s",
          member.name,
          newcomer.name,
          known);
    }
  }

  /** A member removes another one. Some member must be ending, so that its removal is blocked. */
  void checkRemoval(SimulatedNode by, String address) {
    check(by.protocol().hasEnding(), "%s removes %s without need", by.name, address);
    check(!by.address.equals(address), "%s removes itself", by.name);
  }

  /** A message of a non-member must not change the published owners. */
  void checkUnchanged(SimulatedNode node, List<MembershipView.Owner> before) {
    if (node.isRunning()) {
      check(isSame(before, node.owners()), "%s has processed a message of a non-member", node.name);
    }
  }

  private static boolean isSame(List<MembershipView.Owner> one, List<MembershipView.Owner> other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      MembershipView.Owner first = one.get(i);
      MembershipView.Owner second = other.get(i);
      if (first.epoch() != second.epoch() || !first.node().equals(second.node())) {
        return false;
      }
    }
    return true;
  }

  /** A node fails. The reason must be true. */
  void checkFailure(SimulatedNode node, String why) {
    check(isReason(node, why), "%s fails for a false reason: %s", node.name, why);
  }

  private boolean isReason(SimulatedNode node, String why) {
    if (why.contains("is an older copy")) {
      return node.newest().isPresent() || node.wasForked() || node.hasLostDirectory();
    } else if (why.contains("but its directory is empty")) {
      return node.hasLostDirectory();
    } else if (why.contains(SimulatedNode.NO_DATA)) {
      return node.directory().plan().isPresent();
    } else if (why.contains("has data of store") || why.contains("there are two clusters")) {
      return isAnyDirectoryLost();
    } else if (why.contains("was removed from the cluster")) {
      return !node.protocol().isMember() || node.protocol().isQuarantined();
    }
    return why.contains("are in different clusters");
  }

  /** After a step of a node: it has ended if it was removed, and publishes its actual members. */
  void checkStep(SimulatedNode node) {
    if (!node.isRunning()) {
      return;
    }
    check(
        node.protocol().status() != MembershipContext.Status.REMOVED
            && !node.protocol().isQuarantined(),
        "%s was removed but continues to run",
        node.name);
    Optional<MembershipAction.Publish> published = node.published();
    check(
        published.isPresent() && published.get().members().addresses().equals(node.protocol().up()),
        "%s publishes members %s instead of %s",
        node.name,
        published.map(one -> one.members().addresses()),
        node.protocol().up());
  }

  /** At most one running node has a partition of a store open at any epoch. */
  void checkOwners() {
    for (SimulatedNode one : cluster.nodes) {
      for (SimulatedNode other : cluster.nodes) {
        if (one.index() < other.index()
            && one.directory().storeId() == other.directory().storeId()) {
          one.open()
              .forEach(
                  (partition, epoch) ->
                      check(
                          !epoch.equals(other.open().get(partition)),
                          "partition %d is open at epoch %d on %s and %s",
                          partition,
                          epoch,
                          one.name,
                          other.name));
        }
      }
    }
  }
}
