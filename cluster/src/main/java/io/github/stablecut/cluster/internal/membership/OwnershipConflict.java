package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Optional;

/**
 * Why a member must not go on: another one has what it has. That is so when it was let in by who
 * could not know better, such as after all nodes were started together, one of them with an older
 * copy of its directory. Whoever has the greater epoch stays; of equal ones, which no move leaves,
 * nobody knows which is older, so both end.
 */
public final class OwnershipConflict {
  private OwnershipConflict() {}

  /**
   * Of partitions that are open here.
   *
   * @param self this node, without what it knows of others
   * @param heard who owns what by another node, which may have it from others
   */
  public static Optional<String> ofOwners(NodeFacts self, List<NodeFacts.Ownership> heard) {
    return self.owned().stream()
        .filter(open -> open.node().equals(self.name()))
        .flatMap(
            open ->
                heard.stream().filter(other -> isNewer(open, other)).map(other -> of(open, other)))
        .findFirst();
  }

  private static boolean isNewer(NodeFacts.Ownership open, NodeFacts.Ownership other) {
    return other.partition() == open.partition()
        && (other.epoch() > open.epoch()
            || (other.epoch() == open.epoch() && !other.node().equals(open.node())));
  }

  private static String of(NodeFacts.Ownership open, NodeFacts.Ownership other) {
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
   * Of names.
   *
   * @param other another member, or this node itself
   */
  public static Optional<String> ofNames(NodeFacts self, NodeFacts other) {
    return other.name().equals(self.name()) && !other.address().equals(self.address())
        ? Optional.of(
            "there are two nodes %s, at %s and at %s, so both end: start one of them again, with the directory that the node had last, and the other one only under another name and with an empty directory"
                .formatted(self.name(), self.address(), other.address()))
        : Optional.empty();
  }
}
