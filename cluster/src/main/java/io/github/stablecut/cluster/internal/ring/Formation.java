package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.List;
import java.util.Optional;

/**
 * How a node gets its plan, which is opened once: its directory has it, the cluster tells it, or it
 * makes one for a new cluster. Confined to its node's actor.
 */
final class Formation {
  private final RingSettings settings;
  private final NodeActor.Host host;
  private final Complaints complaints;
  private boolean isFirst;
  private boolean isOpening;

  Formation(RingSettings settings, NodeActor.Host host, Complaints complaints) {
    this.settings = settings;
    this.host = host;
    this.complaints = complaints;
  }

  /** Whether there is a plan. */
  boolean isOpening() {
    return isOpening;
  }

  /** The node begins a cluster, and makes its plan if there is none. */
  void begin() {
    isFirst = true;
  }

  /** Opens what the node has, or is given. */
  void open(Optional<NodePlan> plan) {
    if (plan.isPresent() && !isOpening) {
      isOpening = true;
      host.open(plan.get());
    }
  }

  /** Makes the plan of a new cluster once enough nodes are there. */
  void form(List<NodeFacts> present) {
    if (!isFirst || isOpening) {
      return;
    }
    int wanted = settings.forming().nodes();
    if (present.size() < wanted) {
      complaints.waitsForOthers(
          "has begun a cluster and waits for %d of %d nodes"
              .formatted(wanted - present.size(), wanted));
      return;
    }
    open(
        Optional.of(
            NodePlan.spread(
                NodeDirectory.newStoreId(),
                settings.name(),
                present.stream().map(NodeFacts::name).toList(),
                settings.store().partitions())));
  }

  /**
   * Takes the cluster's plan over, unless that gives this node what it must have lost.
   *
   * @param owned who owns what
   */
  void adopt(Optional<NodePlan> plan, List<NodeFacts.Ownership> owned) {
    Optional<String> lost = plan.flatMap(known -> Admission.lost(settings.name(), known, owned));
    if (lost.isPresent()) {
      host.failed(new JoinRefusedException(lost.get()));
    } else {
      open(plan.map(known -> known.of(settings.name())));
    }
  }
}
