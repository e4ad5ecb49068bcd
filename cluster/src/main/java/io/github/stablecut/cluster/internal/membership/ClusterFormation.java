package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.Zones;
import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Obtains a node's plan, from its directory or the cluster, or creates one for a new cluster; then
 * opens it once. Confined to its node's actor.
 */
public final class ClusterFormation {
  private final NodeSettings settings;
  private final LongSupplier storeIds;
  private final Consumer<MembershipAction> out;
  private final WaitReporter waitReporter;
  private boolean isOpening;

  /**
   * @param storeIds generates ids of new stores and of renewed replicas
   * @param out receives the plan to open, or the reason to fail
   */
  ClusterFormation(
      NodeSettings settings,
      LongSupplier storeIds,
      Consumer<MembershipAction> out,
      WaitReporter waitReporter) {
    this.settings = settings;
    this.storeIds = storeIds;
    this.out = out;
    this.waitReporter = waitReporter;
  }

  /** Whether the plan is known, so that its partitions are open or being opened. */
  public boolean isOpening() {
    return isOpening;
  }

  /** Opens the plan in the node's directory, if there is one. */
  public void open(Optional<NodePlan> plan) {
    plan.ifPresent(known -> open(known, List.of()));
  }

  private void open(NodePlan plan, List<GossipedNodeState.Ownership> elsewhere) {
    if (!isOpening) {
      isOpening = true;
      out.accept(new MembershipAction.Open(plan, elsewhere));
    }
  }

  /**
   * Creates the plan of a new cluster once all seeds and enough nodes are present, and none of them
   * has a plan. It needs all seeds so that nodes with the same seeds never form two clusters. Only
   * the first seed creates it, whether it started the cluster or rejoined after a crash.
   *
   * @param present the reachable nodes
   * @param isFirstSeed whether this node is the first seed
   */
  public void form(List<GossipedNodeState> present, boolean isFirstSeed) {
    if (!isFirstSeed || isOpening || present.stream().anyMatch(node -> node.plan().isPresent())) {
      return;
    }
    Set<String> missing = new TreeSet<>(settings.forming().seeds());
    present.forEach(node -> missing.remove(node.address()));
    int replicas = Math.max(1, settings.forming().replicas());
    int requiredNodes = Math.max(replicas, settings.forming().nodes());
    if (!missing.isEmpty() || present.size() < requiredNodes) {
      waitReporter.reportWaitForNodes(
          () -> waitDescription(missing, requiredNodes - present.size(), requiredNodes));
      return;
    }
    NodePlan plan =
        NodePlan.spread(
            storeIds.getAsLong(),
            settings.name(),
            present.stream().map(GossipedNodeState::name).toList(),
            settings.store().partitions(),
            replicas,
            new Zones(
                present.stream()
                    .collect(Collectors.toMap(GossipedNodeState::name, GossipedNodeState::zone))));
    open(plan, List.of());
  }

  private static String waitDescription(Set<String> missing, int missingNodes, int requiredNodes) {
    return missing.isEmpty()
        ? "has started a cluster and waits for %d of %d nodes"
            .formatted(missingNodes, requiredNodes)
        : "has started a cluster and waits for the seeds %s: a new cluster needs all of them"
            .formatted(missing);
  }

  /**
   * Adopts the cluster's plan, unless it assigns partitions to this node that the node must have
   * lost. While no member knows that the cluster was formed, the node creates its partitions only
   * once all nodes of the plan are present. An absent one may know that the cluster was formed, and
   * that this node has had its partitions.
   *
   * @param plan the plan of a member
   * @param owned the known owners of partitions
   * @param present the states of the reachable members
   * @param isAllHeard whether all members have sent their plans and owners
   */
  public void adopt(
      NodePlan plan,
      List<GossipedNodeState.Ownership> owned,
      List<GossipedNodeState> present,
      boolean isAllHeard) {
    String self = settings.name();
    boolean isFormed =
        present.stream().flatMap(node -> node.plan().stream()).anyMatch(NodePlan::isFormed);
    NodePlan known =
        present.stream()
            .flatMap(node -> node.plan().stream())
            .filter(one -> one.storeId() == plan.storeId())
            .reduce(plan, (one, other) -> other.isNewerThan(one) ? other : one);
    NodePlan newest = isFormed ? known.formed() : known;
    Optional<String> lost = Admission.lostDirectoryRefusal(self, newest, owned);
    Set<String> missing = new TreeSet<>(newest.nodes());
    present.forEach(node -> missing.remove(node.name()));
    missing.remove(self);
    if (lost.isPresent()) {
      if (isAllHeard) {
        out.accept(new MembershipAction.Fail(new JoinRefusedException(lost.get())));
      }
    } else if (newest.isReplicated() && newest.isFormed() && newest.nodes().contains(self)) {
      // The node lost its directory: the votes of its replicas, or its part of the register.
      NodePlan renewed =
          newest.of(self).renewed(Configuration.renewedName(self, storeIds.getAsLong()));
      open(renewed, List.of());
    } else if (newest.isFormed()
        ? isAllHeard
        : newest.assignedTo(self).isEmpty() || missing.isEmpty()) {
      // In a formed cluster, another member may know of a register of which this node lost its
      // part.
      open(newest.of(self), Admission.ownedElsewhere(self, newest, owned));
    } else if (!newest.isFormed()) {
      waitReporter.reportWait(
          () -> "waits for the nodes %s: a new cluster needs all of its nodes".formatted(missing));
    }
  }
}
