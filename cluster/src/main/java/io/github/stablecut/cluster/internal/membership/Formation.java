package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How a node gets its plan, which is opened once: its directory has it, the cluster tells it, or it
 * makes one for a new cluster. Confined to its node's actor.
 */
public final class Formation {
  private final NodeSettings settings;
  private final LongSupplier storeIds;
  private final Consumer<MembershipAction> out;
  private final WaitReporter complaints;
  private boolean isOpening;

  /**
   * @param storeIds makes ids of new stores
   * @param out gets what is to be opened, or why the node gives up
   */
  Formation(
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

  private void open(NodePlan plan, List<NodeFacts.Ownership> elsewhere) {
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
  public void form(List<NodeFacts> present, boolean isFirstSeed) {
    if (!isFirstSeed || isOpening || present.stream().anyMatch(node -> node.plan().isPresent())) {
      return;
    }
    Set<String> missing = new TreeSet<>(settings.forming().seeds());
    present.forEach(node -> missing.remove(node.address()));
    int wanted = settings.forming().nodes();
    if (!missing.isEmpty() || present.size() < wanted) {
      complaints.waitsForOthers(waitsFor(missing, wanted - present.size(), wanted));
      return;
    }
    NodePlan plan =
        NodePlan.spread(
            storeIds.getAsLong(),
            settings.name(),
            present.stream().map(NodeFacts::name).toList(),
            settings.store().partitions());
    open(plan, List.of());
  }

  private static String waitsFor(Set<String> missing, int few, int wanted) {
    return missing.isEmpty()
        ? "has begun a cluster and waits for %d of %d nodes".formatted(few, wanted)
        : "has begun a cluster and waits for the seeds %s: a new cluster is made once all are there"
            .formatted(missing);
  }

  /**
   * Takes the cluster's plan over, unless that gives this node what it must have lost.
   *
   * @param owned who owns what, as far as it was heard of
   * @param isAllHeard whether nobody has more to say of that
   */
  public void adopt(NodePlan plan, List<NodeFacts.Ownership> owned, boolean isAllHeard) {
    Optional<String> lost = Admission.lost(settings.name(), plan, owned);
    if (lost.isEmpty()) {
      open(plan.of(settings.name()), Admission.elsewhere(settings.name(), plan, owned));
    } else if (isAllHeard) {
      out.accept(new MembershipAction.Fail(new JoinRefusedException(lost.get())));
    }
  }
}
