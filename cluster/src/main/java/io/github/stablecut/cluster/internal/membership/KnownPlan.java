package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipAction.Fail;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a node knows of its cluster's plan and of its own directory, against what others know.
 * Confined to its node's actor.
 *
 * <p>Invariant: a node that was replaced does not take note of the plan that says so; its directory
 * says still what it was when another one took its place, and is refused for that.
 */
final class KnownPlan {
  private final String name;
  private final MembershipContext node;
  private final Consumer<MembershipAction> out;

  /**
   * @param name the node's
   * @param out gets what is to be written, or why the node gives up
   */
  KnownPlan(String name, MembershipContext node, Consumer<MembershipAction> out) {
    this.name = name;
    this.node = node;
    this.out = out;
  }

  /** Whether partitions have several copies, as a node knows. */
  static boolean isReplicated(GossipedNodeState facts) {
    return facts.plan().filter(NodePlan::isReplicated).isPresent();
  }

  /** Whether all partitions have been open, as a node knows. */
  static boolean isFormed(GossipedNodeState facts) {
    return facts.plan().map(NodePlan::isFormed).orElse(false);
  }

  /**
   * Another plan of the node's own cluster is known, of a member or as the nodes have agreed.
   *
   * @param own what the node has
   */
  void learn(NodePlan own, NodePlan plan) {
    if (plan.storeId() != own.storeId()) {
      return;
    }
    if (plan.isFormed() && !own.isFormed()) {
      out.accept(new MembershipAction.MarkFormed());
    }
    if (plan.isNewerThan(own)) {
      out.accept(
          Admission.isReplaced(name, own, plan)
              .<MembershipAction>map(why -> new Fail(new JoinRefusedException(why)))
              .orElseGet(() -> new MembershipAction.Update(plan)));
    }
  }

  /** Learns what the nodes have agreed on, if nobody has told it. */
  void learnAgreed() {
    node.agreed().ifPresent(plan -> node.facts().plan().ifPresent(own -> learn(own, plan)));
  }

  /** Why this node can't go on: its directory lacks an opening that another node has heard of. */
  Optional<String> olderThanHeard(GossipedNodeState other) {
    GossipedNodeState self = node.facts();
    boolean isOfSameStore =
        self.plan()
            .flatMap(own -> other.plan().filter(plan -> plan.storeId() == own.storeId()))
            .isPresent();
    return isOfSameStore
        ? self.openings().refusal(self.name(), other.openings())
        : Optional.empty();
  }

  /**
   * Why a node with data is not let in: others have heard of a newer directory of it. Epochs say so
   * of what exists once as far as it knows, or did when it noted that there are to be copies, also
   * if no opening of it was heard since others know that; those of copies say nothing.
   */
  static Optional<String> olderDirectory(
      MembershipMessage.Greeting greeting, GossipedNodeState ours) {
    GossipedNodeState newcomer = greeting.facts();
    return newcomer
        .openings()
        .refusal(newcomer.name(), ours.openings())
        .or(
            () ->
                greeting
                    .epochs()
                    .flatMap(old -> old.refusal(newcomer.name(), ofOnce(newcomer, ours.owned()))));
  }

  /** Who owned what while a node's partitions existed once, which they may still. */
  private static List<GossipedNodeState.Ownership> ofOnce(
      GossipedNodeState node, List<GossipedNodeState.Ownership> owned) {
    if (!isReplicated(node)) {
      return owned;
    }
    NodePlan plan = node.plan().orElseThrow();
    // With the next change come copies of partitions that others have had.
    return plan.changes().size() == 1
        ? owned.stream().filter(known -> known.epoch() <= plan.epochsAfter()).toList()
        : List.of();
  }

  /**
   * What a node has that exists once, or has not become a copy yet that leads.
   *
   * @param self without what it knows of others
   */
  static List<GossipedNodeState.Ownership> existsOnce(GossipedNodeState self) {
    long after = self.plan().map(NodePlan::epochsAfter).orElse(0L);
    return isReplicated(self)
        ? self.owned().stream().filter(own -> own.epoch() <= after).toList()
        : self.owned();
  }

  /**
   * Whether all nodes with copies have made their directories: from then on one that is empty was
   * lost.
   *
   * @param present the nodes that are there
   */
  static boolean haveAllReplicas(GossipedNodeState self, List<GossipedNodeState> present) {
    Set<String> missing =
        self.plan().map(plan -> new HashSet<>(plan.nodes())).orElseGet(HashSet::new);
    missing.remove(self.name());
    present.stream()
        .filter(other -> other.plan().isPresent())
        .forEach(other -> missing.remove(other.name()));
    return missing.isEmpty();
  }
}
