package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Detects conflicts that force a member to end: another member has the same partition or name. They
 * arise when a node was admitted by members that could not know better, such as after all nodes
 * were started together, one of them with an older copy of its directory. The node with the greater
 * epoch stays. At equal epochs, which no move produces, neither is known to be the older one, so
 * both end. Stateless.
 */
public final class OwnershipConflict {
  private OwnershipConflict() {}

  /**
   * A conflict about a partition without replicas that this node has; empty if there is none.
   *
   * @param self the name of this node
   * @param owned its own partitions
   * @param gossiped the owners according to other nodes, directly or indirectly
   */
  public static Optional<String> ofOwners(
      String self,
      List<GossipedNodeState.Ownership> owned,
      List<GossipedNodeState.Ownership> gossiped) {
    return owned.stream()
        .filter(open -> open.node().equals(self))
        .flatMap(
            open ->
                gossiped.stream()
                    .filter(other -> isNewer(open, other))
                    .map(other -> of(open, other)))
        .findFirst();
  }

  private static boolean isNewer(
      GossipedNodeState.Ownership open, GossipedNodeState.Ownership other) {
    return other.partition() == open.partition()
        && (other.epoch() > open.epoch()
            || (other.epoch() == open.epoch() && !other.node().equals(open.node())));
  }

  private static String of(GossipedNodeState.Ownership open, GossipedNodeState.Ownership other) {
    return "node %s has partition %d open at epoch %d, but %s at epoch %d: %s; restore the node's newest directory, and restart the node"
        .formatted(
            open.node(),
            open.partition(),
            open.epoch(),
            other.node().equals(open.node())
                ? "the other nodes know of it"
                : "node %s owns it".formatted(other.node()),
            other.epoch(),
            other.epoch() > open.epoch()
                ? "the directory of node %s is an older copy, and lacks commits that were acknowledged since"
                    .formatted(open.node())
                : "the directory of one of them is an older copy, so both end");
  }

  /**
   * A conflict about a partition that this node owns according to others, but that its directory
   * lacks. A partition that a handoff may just have closed or not opened yet is no conflict: the
   * node has had it open in this run, is receiving it, or had a complete copy of it when it
   * started.
   *
   * @param self this node's state after it opened its partitions, without its knowledge of others
   * @param opened the partitions that it has had open in this run
   * @param claims the claims of its directory when it started
   * @param gossiped the owners according to all nodes
   */
  public static Optional<String> ofMissing(
      GossipedNodeState self,
      Set<Integer> opened,
      List<PartitionClaim> claims,
      List<GossipedNodeState.Ownership> gossiped) {
    return gossiped.stream()
        .filter(other -> other.node().equals(self.name()))
        .filter(other -> self.owned().stream().noneMatch(own -> isAsNew(own, other)))
        .filter(other -> self.moves().stream().noneMatch(m -> m.partition() == other.partition()))
        .filter(other -> !opened.contains(other.partition()))
        .filter(other -> claims.stream().noneMatch(claim -> isCopyOf(claim, other.partition())))
        .map(other -> missingMessage(self, other))
        .findFirst();
  }

  /** Whether the node has the partition, or knows an owner that is as new. */
  private static boolean isAsNew(
      GossipedNodeState.Ownership own, GossipedNodeState.Ownership other) {
    return own.partition() == other.partition()
        && (own.node().equals(other.node()) || own.epoch() >= other.epoch());
  }

  private static boolean isCopyOf(PartitionClaim claim, int partition) {
    return claim.partition() == partition && claim.kind() == PartitionClaim.Kind.COPIED;
  }

  private static String missingMessage(GossipedNodeState self, GossipedNodeState.Ownership other) {
    return "node %s does not have partition %d, but the other nodes know that it has it at epoch %d: the directory of node %s is an older copy, and lacks commits that were acknowledged since; restore the node's newest directory, and restart the node"
        .formatted(self.name(), other.partition(), other.epoch(), self.name());
  }

  /**
   * A conflict between two nodes of one name; empty if there is none.
   *
   * @param other the state of another member, or of this node itself
   */
  public static Optional<String> ofNames(GossipedNodeState self, GossipedNodeState other) {
    return other.name().equals(self.name()) && !other.address().equals(self.address())
        ? Optional.of(
            "there are two nodes %s, at %s and at %s, so both end: restart one of them with the node's newest directory, and the other one only under another name and with an empty directory"
                .formatted(self.name(), self.address(), other.address()))
        : Optional.empty();
  }
}
