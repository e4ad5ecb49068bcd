package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import java.util.List;
import java.util.Optional;

/**
 * What the directory of a node says that wants to join. Immutable.
 *
 * <p>A node makes an epoch durable in its directory before it tells anybody of it, and the epoch of
 * a partition that is moved is greater than all before. So a directory that says less than others
 * have heard is an older copy, whoever the owner is: it lacks what was acknowledged since.
 *
 * @param all at most one per partition
 */
public record DirectoryEpochs(List<PartitionClaim> all) {
  private static final String ADVICE =
      "the directory is an older copy, and lacks what was acknowledged since; put back the one that the node had last, or choose another name and an empty directory";

  public DirectoryEpochs {
    all = List.copyOf(all);
  }

  /**
   * Why the node may not join.
   *
   * @param node its name
   * @param owned who owns what, as far as the node that is asked knows
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
                said(known.partition(), claim),
                isOwner
                    ? "the others have heard that it has it at epoch %d".formatted(known.epoch())
                    : "node %s owns it at epoch %d, as it was moved there, or began anew there because the cluster was told to forget node %s"
                        .formatted(known.node(), known.epoch(), node),
                ADVICE));
  }

  /**
   * Whether a directory lacks what was told.
   *
   * @param known the greatest epoch of the partition that was told
   * @param isOwner whether it was told of the directory's node
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

  private static String said(int partition, Optional<PartitionClaim> claim) {
    return claim
        .map(
            one ->
                "%s partition %d at epoch %d"
                    .formatted(
                        one.kind() == Kind.HAS ? "has" : "gave away", partition, one.epoch()))
        .orElse("has no partition " + partition);
  }
}
