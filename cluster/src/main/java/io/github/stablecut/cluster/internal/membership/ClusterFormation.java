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
 * How a node gets its plan, which is opened once: its directory has it, the cluster tells it, or it
 * makes one for a new cluster. Confined to its node's actor.
 */
public final class ClusterFormation {
  private final NodeSettings settings;
  private final LongSupplier storeIds;
  private final Consumer<MembershipAction> out;
  private final WaitReporter complaints;
  private boolean isOpening;

  /**
   * @param storeIds makes ids of new stores, and of copies
   * @param out gets what is to be opened, or why the node gives up
   */
  ClusterFormation(
      NodeSettings settings,
      LongSupplier storeIds,
      Consumer<MembershipAction> out,
      WaitReporter complaints) {
    this.settings = settings;
    this.storeIds = storeIds;
    this.out = out;
    this.complaints = complaints;
  }

  /** Whether there is a plan. */
  public boolean isOpening() {
    return isOpening;
  }

  /** Opens what the node has. */
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
   * Makes the plan of a new cluster once all seeds and enough nodes are there, and none of them has
   * one. All seeds, so that nodes that were told the same seeds never make two clusters: each would
   * need all of them. Only the first seed makes it, whether it has begun the cluster or was let in
   * again after a crash.
   *
   * @param isFirstSeed whether this node is it
   */
  public void form(List<GossipedNodeState> present, boolean isFirstSeed) {
    if (!isFirstSeed || isOpening || present.stream().anyMatch(node -> node.plan().isPresent())) {
      return;
    }
    Set<String> missing = new TreeSet<>(settings.forming().seeds());
    present.forEach(node -> missing.remove(node.address()));
    int replicas = Math.max(1, settings.forming().replicas());
    int wanted = Math.max(replicas, settings.forming().nodes());
    if (!missing.isEmpty() || present.size() < wanted) {
      complaints.waitsForOthers(() -> waitsFor(missing, wanted - present.size(), wanted));
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

  private static String waitsFor(Set<String> missing, int few, int wanted) {
    return missing.isEmpty()
        ? "has begun a cluster and waits for %d of %d nodes".formatted(few, wanted)
        : "has begun a cluster and waits for the seeds %s: a new cluster is made once all are there"
            .formatted(missing);
  }

  /**
   * Adopts the cluster's plan, unless it gives this node partitions that the node must have lost.
   * While the cluster is not formed as far as the members know, the node creates its partitions
   * only once all nodes of the plan are there: one that is away may know that the cluster was
   * formed, and that this node has had them.
   *
   * @param plan as a member told it
   * @param owned the owners that are known
   * @param present the facts of the members that answer
   * @param isAllHeard whether no member has more to tell about owners, or another plan
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
    Optional<String> lost = Admission.lost(self, newest, owned);
    Set<String> missing = new TreeSet<>(newest.nodes());
    present.forEach(node -> missing.remove(node.name()));
    missing.remove(self);
    if (lost.isPresent()) {
      if (isAllHeard) {
        out.accept(new MembershipAction.Fail(new JoinRefusedException(lost.get())));
      }
    } else if (newest.isReplicated() && newest.isFormed() && newest.nodes().contains(self)) {
      // It has lost its directory, and what its copies have promised, or its part of the register.
      NodePlan anew =
          newest.of(self).renewed(Configuration.renewedName(self, storeIds.getAsLong()));
      open(anew, List.of());
    } else if (newest.isFormed() ? isAllHeard : newest.given(self).isEmpty() || missing.isEmpty()) {
      // Of a formed one, another may know that there is a register, of which the node lost a part.
      open(newest.of(self), Admission.elsewhere(self, newest, owned));
    } else if (!newest.isFormed()) {
      complaints.waitsFor(
          () ->
              "waits for the nodes %s: all nodes of a new cluster have to be there"
                  .formatted(missing));
    }
  }
}
