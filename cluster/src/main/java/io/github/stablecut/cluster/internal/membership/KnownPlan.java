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
 * Reconciles a node's plan and directory with the knowledge of other nodes. Confined to its node's
 * actor.
 *
 * <p>Invariant: a replaced node never records the plan in which it is replaced. Its directory keeps
 * the older plan, by which it is refused.
 */
final class KnownPlan {
  private final String name;
  private final MembershipContext node;
  private final Consumer<MembershipAction> out;

  /**
   * @param name the name of the node
   * @param out receives the actions: plans to record, or the reason to fail
   */
  KnownPlan(String name, MembershipContext node, Consumer<MembershipAction> out) {
    this.name = name;
    this.node = node;
    this.out = out;
  }

  /** Whether partitions have replicas, according to a node's plan. */
  static boolean isReplicated(GossipedNodeState facts) {
    return facts.plan().filter(NodePlan::isReplicated).isPresent();
  }

  /** Whether the cluster was formed, according to a node's plan. */
  static boolean isFormed(GossipedNodeState facts) {
    return facts.plan().map(NodePlan::isFormed).orElse(false);
  }

  /**
   * Updates the node's plan with one of a member, or with the one that the nodes agreed on.
   *
   * @param own the plan of this node
   * @param plan the other plan; ignored if it is of another store
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
          Admission.replacementRefusal(name, own, plan)
              .<MembershipAction>map(why -> new Fail(new JoinRefusedException(why)))
              .orElseGet(() -> new MembershipAction.Update(plan)));
    }
  }

  /** Learns the agreed plan from the configuration register, in case no member has sent it. */
  void learnAgreedPlan() {
    node.agreed().ifPresent(plan -> node.facts().plan().ifPresent(own -> learn(own, plan)));
  }

  /** The reason for this node to fail: its directory lacks an opening that another node knows. */
  Optional<String> ownDirectoryRefusal(GossipedNodeState other) {
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
   * The reason for refusing a node with data: others know of a newer directory of it. Known
   * openings show that, and so do the epochs of partitions without replicas: those that have none
   * according to the node's plan, or had none when it recorded that partitions get replicas. The
   * epochs of replicas show nothing.
   */
  static Optional<String> directoryRefusal(
      MembershipMessage.Greeting greeting, GossipedNodeState own) {
    GossipedNodeState newcomer = greeting.facts();
    return newcomer
        .openings()
        .refusal(newcomer.name(), own.openings())
        .or(
            () ->
                greeting
                    .epochs()
                    .flatMap(
                        old ->
                            old.refusal(
                                newcomer.name(), unreplicatedOwners(newcomer, own.owned()))));
  }

  /** The owners of partitions while these had no replicas, as far as a node knows. */
  private static List<GossipedNodeState.Ownership> unreplicatedOwners(
      GossipedNodeState node, List<GossipedNodeState.Ownership> owned) {
    if (!isReplicated(node)) {
      return owned;
    }
    NodePlan plan = node.plan().orElseThrow();
    // With its next change, the node may get replicas of partitions that other nodes owned.
    return plan.changes().size() == 1
        ? owned.stream().filter(known -> known.epoch() <= plan.epochsAfter()).toList()
        : List.of();
  }

  /**
   * A node's partitions without replicas, and its replicas whose first configuration has not begun.
   *
   * @param self the node's state, without its knowledge of others
   */
  static List<GossipedNodeState.Ownership> unreplicatedPartitions(GossipedNodeState self) {
    long after = self.plan().map(NodePlan::epochsAfter).orElse(0L);
    return isReplicated(self)
        ? self.owned().stream().filter(own -> own.epoch() <= after).toList()
        : self.owned();
  }

  /**
   * Whether all nodes with replicas have created their directories; an empty one was lost from then
   * on.
   *
   * @param present the reachable nodes
   */
  static boolean haveAllReplicaDirectories(
      GossipedNodeState self, List<GossipedNodeState> present) {
    Set<String> missing =
        self.plan().map(plan -> new HashSet<>(plan.nodes())).orElseGet(HashSet::new);
    missing.remove(self.name());
    present.stream()
        .filter(other -> other.plan().isPresent())
        .forEach(other -> missing.remove(other.name()));
    return missing.isEmpty();
  }
}
