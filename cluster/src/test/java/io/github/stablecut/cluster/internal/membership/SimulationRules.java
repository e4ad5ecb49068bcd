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
 * What holds at every moment of a {@link SimulatedCluster}, whatever goes wrong. It sees all
 * directories and processes, which no node does. Whoever breaks a rule gets an {@link
 * AssertionError}.
 */
final class SimulationRules {
  /** A partition of a store. */
  private record Place(long storeId, int partition) {}

  /** After so many steps a node no longer waits for others that it does not hear. */
  private static final int SILENCE_STEPS = 10;

  private final SimulatedCluster cluster;
  private final Set<Long> stores = new HashSet<>();

  /** The greatest epoch that has served. */
  private final Map<Place, Long> served = new HashMap<>();

  private final Set<Place> opened = new HashSet<>();

  SimulationRules(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  @FormatMethod
  private static void check(boolean holds, String what, Object... facts) {
    if (!holds) {
      throw new AssertionError(what.formatted(facts));
    }
  }

  private static Place place(SimulatedNode node, int partition) {
    return new Place(node.directory().storeId(), partition);
  }

  boolean isAnyDirectoryLost() {
    return cluster.nodes.stream().anyMatch(SimulatedNode::hasLostDirectory);
  }

  /** A node decides to open a plan: no new one if a member that it hears has one. */
  void decides(SimulatedNode node, NodePlan plan) {
    if (node.directory().plan().isPresent() || stores.contains(plan.storeId())) {
      return;
    }
    for (SimulatedNode other : node.protocol().reached()) {
      check(
          !node.heard().contains(other.uid()) || other.directory().plan().isEmpty(),
          "%s makes a new store, but hears %s, which belongs to one",
          node.name,
          other.name);
    }
  }

  /**
   * A node writes a plan. Nodes that were told the same seeds make one store: only while no seed
   * belongs to one, of all seeds and enough nodes. What has served is never made anew.
   */
  void forms(SimulatedNode node, NodePlan plan) {
    if (stores.add(plan.storeId())) {
      for (String seed : cluster.seeds) {
        check(
            cluster.at(seed).directory().plan().isEmpty(),
            "%s makes a new store, but the seed %s belongs to one",
            node.name,
            seed);
        check(
            plan.owners().contains(cluster.at(seed).name),
            "%s makes a store without the seed %s",
            node.name,
            seed);
      }
      check(
          new HashSet<>(plan.owners()).size() >= cluster.formWith,
          "%s makes a store of too few nodes: %s",
          node.name,
          plan);
    }
    check(stores.size() == 1 || isAnyDirectoryLost(), "there are two stores");
  }

  /**
   * A partition is opened: from the newest directory never at an epoch that has served, or below.
   * If no other directory says that the cluster was formed, nobody can know that this one was lost.
   */
  void opens(SimulatedNode node, int partition, long epoch) {
    long before = served.getOrDefault(place(node, partition), 0L);
    check(
        epoch > before || node.newest().isPresent() || !isFormedElsewhere(node),
        "%s opens partition %d at epoch %d, but it has served at %d",
        node.name,
        partition,
        epoch,
        before);
    opened.add(place(node, partition));
  }

  private boolean isFormedElsewhere(SimulatedNode node) {
    return cluster.nodes.stream()
        .filter(other -> other != node)
        .map(SimulatedNode::directory)
        .anyMatch(other -> other.isFormed() && other.storeId() == node.directory().storeId());
  }

  /**
   * A node serves what it has open. What an older copy of a directory serves is lost with it, once
   * nobody is there any more who has heard of it.
   */
  void serves(SimulatedNode node) {
    if (node.newest().isPresent()) {
      return;
    }
    node.open()
        .forEach(
            (partition, epoch) -> {
              var unused = served.merge(place(node, partition), epoch, Math::max);
            });
  }

  /** A node notes that all partitions have been there: they have. */
  void marksFormed(SimulatedNode node) {
    for (int partition = 0; partition < SimulatedNode.PARTITIONS; partition++) {
      check(
          opened.contains(place(node, partition)),
          "%s takes the cluster for formed, but nobody has opened partition %d",
          node.name,
          partition);
    }
  }

  /**
   * A node begins to serve: it has noted that the cluster is formed, every member that answers has
   * told it what it has, and knows what it has itself.
   */
  void beginsToServe(SimulatedNode node) {
    check(node.directory().isFormed(), "%s serves what is not known to be formed", node.name);
    // Late messages make members look as if they did not answer.
    if (node.hasBeenMemberFor(SILENCE_STEPS) || !cluster.losesNothing()) {
      return;
    }
    for (SimulatedNode other : node.protocol().reached()) {
      check(
          node.heard().contains(other.uid()),
          "%s serves before it has heard from %s",
          node.name,
          other.name);
      if (other.protocol().reached().contains(node)) {
        node.open().forEach((partition, epoch) -> hasHeardOf(other, node, partition, epoch));
      }
    }
  }

  private static void hasHeardOf(SimulatedNode one, SimulatedNode owner, int partition, long at) {
    List<MembershipView.Owner> owners = one.owners();
    check(
        owners.isEmpty() || owners.get(partition).epoch() >= at,
        "%s serves before %s knows that it has partition %d",
        owner.name,
        one.name,
        partition);
  }

  /** Nobody who knows better lets a node in that has an older copy of its directory. */
  void welcomes(SimulatedNode member, SimulatedNode newcomer) {
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
          "%s lets %s in with an older copy, though it knows of %s",
          member.name,
          newcomer.name,
          known);
    }
  }

  /** A member is removed only if others wait for the removal of another one. */
  void removes(SimulatedNode by, String address) {
    check(by.protocol().hasEnding(), "%s removes %s without need", by.name, address);
    check(!by.address.equals(address), "%s removes itself", by.name);
  }

  /** What a node says that is no member changes nothing. */
  void isUntouchedByStranger(SimulatedNode node, List<MembershipView.Owner> before) {
    if (node.isRunning()) {
      check(
          isSame(before, node.owners()), "%s has listened to a node that is no member", node.name);
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

  /** A node ends only for a reason that there is. */
  void ends(SimulatedNode node, String why) {
    check(isReason(node, why), "%s ends without a good reason: %s", node.name, why);
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

  /** After a node has looked: whoever was removed has left, and what it publishes is so. */
  void keeps(SimulatedNode node) {
    if (!node.isRunning()) {
      return;
    }
    check(
        node.protocol().status() != MembershipContext.Status.REMOVED
            && !node.protocol().isQuarantined(),
        "%s was removed, and goes on",
        node.name);
    Optional<MembershipAction.Publish> published = node.published();
    check(
        published.isPresent() && published.get().members().equals(node.protocol().up()),
        "%s publishes members %s instead of %s",
        node.name,
        published.map(MembershipAction.Publish::members),
        node.protocol().up());
  }

  /** At most one running node has a partition of a store open at an epoch. */
  void hasOneOwnerEach() {
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
