package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Why a member must not go on: another one has what it has. That is so when it was let in by who
 * could not know better, such as after all nodes were started together, one of them with an older
 * copy of its directory. Whoever has the greater epoch stays; of equal ones, which no move leaves,
 * nobody knows which is older, so both end.
 */
public final class OwnershipConflict {
  private OwnershipConflict() {}

  /**
   * Of partitions that are here, and exist once or have until now.
   *
   * @param self the name of this node
   * @param owned what it has, without what it knows of others
   * @param heard who owns what by another node, which may have it from others
   */
  public static Optional<String> ofOwners(
      String self,
      List<GossipedNodeState.Ownership> owned,
      List<GossipedNodeState.Ownership> heard) {
    return owned.stream()
        .filter(open -> open.node().equals(self))
        .flatMap(
            open ->
                heard.stream().filter(other -> isNewer(open, other)).map(other -> of(open, other)))
        .findFirst();
  }

  private static boolean isNewer(
      GossipedNodeState.Ownership open, GossipedNodeState.Ownership other) {
    return other.partition() == open.partition()
        && (other.epoch() > open.epoch()
            || (other.epoch() == open.epoch() && !other.node().equals(open.node())));
  }

  private static String of(GossipedNodeState.Ownership open, GossipedNodeState.Ownership other) {
    return "node %s has partition %d open at epoch %d, but %s at epoch %d: %s; put back the one that the node had last, and start it again"
        .formatted(
            open.node(),
            open.partition(),
            open.epoch(),
            other.node().equals(open.node())
                ? "the others have heard of it"
                : "node %s owns it".formatted(other.node()),
            other.epoch(),
            other.epoch() > open.epoch()
                ? "the directory of node %s is an older copy, and lacks what was acknowledged since"
                    .formatted(open.node())
                : "the directory of one of them is an older copy, so both end");
  }

  /**
   * A conflict about a partition that this node owns, according to others, and that its directory
   * lacks. There is none about one that a handoff may just have closed, or not opened yet: the node
   * has had it open in this run, receives it, or had a complete copy of it when it started.
   *
   * @param self this node once it has opened its partitions, without its knowledge of others
   * @param opened the partitions that it has had open in this run
   * @param claims those of its directory when it started
   * @param heard the owners according to all nodes
   */
  public static Optional<String> ofMissing(
      GossipedNodeState self,
      Set<Integer> opened,
      List<PartitionClaim> claims,
      List<GossipedNodeState.Ownership> heard) {
    return heard.stream()
        .filter(other -> other.node().equals(self.name()))
        .filter(other -> self.owned().stream().noneMatch(own -> isAsNew(own, other)))
        .filter(other -> self.moves().stream().noneMatch(m -> m.partition() == other.partition()))
        .filter(other -> !opened.contains(other.partition()))
        .filter(other -> claims.stream().noneMatch(claim -> isCopyOf(claim, other.partition())))
        .map(other -> missing(self, other))
        .findFirst();
  }

  /** Whether the node has the partition, or knows at least as well who does. */
  private static boolean isAsNew(
      GossipedNodeState.Ownership own, GossipedNodeState.Ownership other) {
    return own.partition() == other.partition()
        && (own.node().equals(other.node()) || own.epoch() >= other.epoch());
  }

  private static boolean isCopyOf(PartitionClaim claim, int partition) {
    return claim.partition() == partition && claim.kind() == PartitionClaim.Kind.COPIED;
  }

  private static String missing(GossipedNodeState self, GossipedNodeState.Ownership other) {
    return "node %s does not have partition %d, but the others have heard that it has it at epoch %d: the directory of node %s is an older copy, and lacks what was acknowledged since; put back the one that the node had last, and start it again"
        .formatted(self.name(), other.partition(), other.epoch(), self.name());
  }

  /**
   * Of names.
   *
   * @param other another member, or this node itself
   */
  public static Optional<String> ofNames(GossipedNodeState self, GossipedNodeState other) {
    return other.name().equals(self.name()) && !other.address().equals(self.address())
        ? Optional.of(
            "there are two nodes %s, at %s and at %s, so both end: start one of them again, with the directory that the node had last, and the other one only under another name and with an empty directory"
                .formatted(self.name(), self.address(), other.address()))
        : Optional.empty();
  }
}
