package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodeOpening;
import java.util.List;
import java.util.Optional;

/**
 * What a node whose partitions have copies knows of openings of directories. By them an older image
 * of a directory is recognised, by the others or by the node itself. Immutable.
 *
 * @param own of the node's directory; empty before the first one
 * @param heard of others' directories, at most one per copy
 */
public record DirectoryOpenings(Optional<NodeOpening> own, List<NodeOpening> heard) {
  /** Of a node without copies. */
  public static final DirectoryOpenings NONE = new DirectoryOpenings(Optional.empty(), List.of());

  /** Copies the list. */
  public DirectoryOpenings {
    heard = List.copyOf(heard);
  }

  /**
   * Why a node may not take part.
   *
   * @param node its name
   * @param others what another node knows
   */
  Optional<String> refusal(String node, DirectoryOpenings others) {
    return own.flatMap(
        opening ->
            opening
                .newerOf(others.heard)
                .map(
                    newer ->
                        "the directory of node %s is an older image: it was opened %d times, and others have heard of %d; it lacks what was acknowledged since, so put back the one that the node had last, or start the node with an empty directory"
                            .formatted(node, opening.count(), newer.count())));
  }
}
