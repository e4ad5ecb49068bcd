package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import java.util.List;
import java.util.Optional;

/**
 * The epochs in the directory of a node that requests admission. Immutable.
 *
 * <p>A node makes an epoch durable in its directory before it sends it to any other node, and a
 * moved partition gets an epoch above all earlier ones. So a directory with a lower epoch than
 * other nodes know is an outdated copy, whichever node is the owner, and lacks commits that were
 * acknowledged since.
 *
 * @param all the claims, at most one per partition
 */
public record DirectoryEpochs(List<PartitionClaim> all) {
  private static final String ADVICE =
      "the directory is an older copy, and lacks commits that were acknowledged since; restore the node's newest directory, or choose another name and an empty directory";

  public DirectoryEpochs {
    all = List.copyOf(all);
  }

  /**
   * The reason for refusing the node; empty to admit it.
   *
   * @param node the name of the node
   * @param owned the owners that the deciding node knows
   */
  public Optional<String> refusal(String node, List<GossipedNodeState.Ownership> owned) {
    return owned.stream()
        .flatMap(known -> refusal(node, known, claim(known.partition())).stream())
        .findFirst();
  }

  private Optional<PartitionClaim> claim(int partition) {
    return all.stream().filter(one -> one.partition() == partition).findFirst();
  }

  private static Optional<String> refusal(
      String node, GossipedNodeState.Ownership known, Optional<PartitionClaim> claim) {
    boolean isOwner = known.node().equals(node);
    if (!isOlder(claim, known.epoch(), isOwner)) {
      return Optional.empty();
    }
    return Optional.of(
        "the directory of node %s %s, but %s: %s"
            .formatted(
                node,
                description(known.partition(), claim),
                isOwner
                    ? "the other nodes know that it has it at epoch %d".formatted(known.epoch())
                    : "node %s owns it at epoch %d, because it moved there, or was reset there when the cluster forgot node %s"
                        .formatted(known.node(), known.epoch(), node),
                ADVICE));
  }

  /**
   * Whether a directory lacks a known epoch.
   *
   * @param known the greatest known epoch of the partition
   * @param isOwner whether the directory's node is the owner at that epoch
   */
  private static boolean isOlder(Optional<PartitionClaim> claim, long known, boolean isOwner) {
    if (claim.isEmpty()) {
      return isOwner;
    }
    long epoch = claim.get().epoch();
    return switch (claim.get().kind()) {
      case HAS -> isOwner ? epoch < known : epoch <= known;
      case GAVE -> isOwner && epoch <= known;
      case COPIED -> false;
    };
  }

  private static String description(int partition, Optional<PartitionClaim> claim) {
    return claim
        .map(
            one ->
                "%s partition %d at epoch %d"
                    .formatted(
                        one.kind() == Kind.HAS ? "has" : "gave away", partition, one.epoch()))
        .orElse("has no partition " + partition);
  }
}
