package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.remote.LostPartitions;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Decides when nodes may be forgotten. Only one node accepts such commands, and only while it
 * reaches all nodes that are not forgotten, so that no partition is reset twice. Thread-safe.
 */
final class ForgettingRules {
  private static final String REPLICATED =
      "the partitions of this cluster have replicas, and the loss of a minority of them loses no data: replace the lost node (stablecut cluster replace). If most nodes are lost permanently, stop all nodes, and build a store from the remaining directories (stablecut cluster recover)";

  private final MembershipView view;

  ForgettingRules(MembershipView view) {
    this.view = view;
  }

  /**
   * Returns the partitions that are lost with nodes: those that they own, and those without a known
   * owner that the plan gave them.
   *
   * @param known the plan of the node that accepts the command
   * @throws MoveRefusedException if the nodes can't be forgotten, or not now, or not here
   */
  List<MembershipView.Owner> owned(Optional<NodePlan> known, Set<String> nodes) {
    NodePlan plan = formed(known);
    check(plan, nodes);
    Set<Integer> assigned = new HashSet<>();
    nodes.forEach(node -> assigned.addAll(plan.owned(node)));
    return view.owners().stream()
        .filter(
            owner ->
                owner.node().isEmpty()
                    ? assigned.contains(owner.partition())
                    : nodes.contains(owner.node()))
        .toList();
  }

  /**
   * Filters the lost partitions while a cluster is getting replicas. A partition is lost if it is
   * still unreplicated: it has no replica yet, and no replica has led it.
   *
   * @param owned the partitions of the lost nodes, as last reported
   * @param configurations returns a partition's current configuration from the register
   * @return the lost partitions
   */
  static List<MembershipView.Owner> lost(
      List<MembershipView.Owner> owned,
      Set<String> nodes,
      Function<Integer, Configuration> configurations) {
    List<MembershipView.Owner> lost = new ArrayList<>();
    List<Integer> onlyThere = new ArrayList<>();
    for (MembershipView.Owner owner : owned) {
      Configuration configuration = configurations.apply(owner.partition());
      if (configuration.epoch() == 0) {
        lost.add(owner);
      } else if (configuration.voters().stream()
          .map(Configuration::nodeOf)
          .allMatch(nodes::contains)) {
        onlyThere.add(owner.partition());
      }
    }
    if (!onlyThere.isEmpty()) {
      throw new MoveRefusedException(
          "the voters of the partitions %s were on the nodes %s, and other nodes may have older replicas: restore a directory or, if all are lost permanently, stop all nodes, and build a store from the remaining directories (stablecut cluster recover DIR... --into NEW; --empty names the partitions without any data)"
              .formatted(onlyThere, new TreeSet<>(nodes)));
    }
    if (lost.isEmpty()) {
      throw new MoveRefusedException(REPLICATED);
    }
    return lost;
  }

  /** Returns whether all partitions were replicated from the start, or have been for long. */
  boolean areReplicated(Optional<NodePlan> plan) {
    return view.willBeReplicated() && plan.filter(own -> own.epochsAfter() > 0).isEmpty();
  }

  /**
   * Returns why nodes of a cluster with replicas can't be forgotten.
   *
   * @param configurations reads the configuration of a partition
   */
  String refusalWithReplicas(Set<String> nodes, Function<Integer, Configuration> configurations) {
    Map<Integer, Configuration> without = new HashMap<>();
    for (MembershipView.Owner owner : view.owners()) {
      if (!owner.isReachable()) {
        without.put(owner.partition(), configurations.apply(owner.partition()));
      }
    }
    return LostPartitions.refusal(without, nodes::contains).orElse(REPLICATED);
  }

  private NodePlan formed(Optional<NodePlan> plan) {
    if (areReplicated(plan)) {
      throw new MoveRefusedException(REPLICATED);
    }
    return plan.filter(NodePlan::isFormed)
        .orElseThrow(
            () ->
                new MoveRefusedException(
                    "this cluster is not formed yet: stop all nodes, and start them with empty"
                        + " directories"));
  }

  private void check(NodePlan plan, Set<String> nodes) {
    for (String node : nodes) {
      checkKnown(plan, node);
    }
    for (MembershipView.UnreachableMember unreachable : view.unreachable()) {
      if (!nodes.contains(unreachable.name())) {
        throw new MoveRefusedException(
            "the member at %s%s is unreachable, too, and may have received the same command: wait for it, or forget it, too"
                .formatted(
                    unreachable.address(),
                    unreachable.name().isEmpty() ? "" : ", node " + unreachable.name() + ","));
      }
      if (!unreachable.isSilent()) {
        throw new MoveRefusedException(
            "node %s sent a heartbeat a few seconds ago, and only a permanently lost node can be forgotten: try again soon"
                .formatted(unreachable.name()));
      }
    }
    checkOwners(nodes);
    if (plan.epochsAfter() > 0) {
      checkAllHeard(plan, nodes);
    }
    String first = view.nodes().keySet().stream().sorted().findFirst().orElse("");
    if (!first.equals(plan.name())) {
      throw new MoveRefusedException(
          "only one node accepts this command, so that no partition starts empty twice: send it to node %s"
              .formatted(first));
    }
    for (MoveProgress move : view.moves()) {
      if (nodes.contains(move.from()) && !move.isOver()) {
        throw new MoveRefusedException(
            "partition %d was being moved from node %s, and node %s may have a complete replica of it: keep a backup of its directory, and restart the node; if it still waits then, remove the directory p%d.incoming from it"
                .formatted(move.partition(), move.from(), move.to(), move.partition()));
      }
    }
  }

  /**
   * Checks that no other owner is away: it may be lost too, or know of moves that are unknown here.
   */
  private void checkOwners(Set<String> nodes) {
    for (MembershipView.Owner owner : view.owners()) {
      if (!owner.node().isEmpty()
          && !view.nodes().containsKey(owner.node())
          && !nodes.contains(owner.node())) {
        throw new MoveRefusedException(
            "node %s, which has partition %d, is unreachable, too: start it, or forget it, too"
                .formatted(owner.node(), owner.partition()));
      }
    }
  }

  /**
   * Checks that all other nodes of the plan are reachable. While partitions get replicas, only a
   * node itself knows for certain which unreplicated partitions it has.
   */
  private void checkAllHeard(NodePlan plan, Set<String> nodes) {
    for (String node : plan.nodes()) {
      if (!view.nodes().containsKey(node) && !nodes.contains(node)) {
        throw new MoveRefusedException(
            "node %s is unreachable, too, and may have partitions without replicas: start it, or forget it, too"
                .formatted(node));
      }
    }
  }

  private void checkKnown(NodePlan plan, String node) {
    boolean isKnown =
        plan.nodes().contains(node)
            || !plan.owned(node).isEmpty()
            || view.owners().stream().anyMatch(owner -> owner.node().equals(node))
            || view.unreachable().stream().anyMatch(unreachable -> unreachable.name().equals(node));
    if (view.nodes().containsKey(node)) {
      throw new MoveRefusedException(
          "node %s is running, and only a permanently lost node can be forgotten: to remove it from the cluster, use stablecut cluster leave"
              .formatted(node));
    }
    if (!isKnown) {
      throw new MoveRefusedException(
          "the cluster knows no node %s: see the names in stablecut cluster status"
              .formatted(node));
    }
  }
}
