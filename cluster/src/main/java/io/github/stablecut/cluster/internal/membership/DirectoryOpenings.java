package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodeOpening;
import java.util.List;
import java.util.Optional;

/**
 * The openings of directories that a node with replicas knows. They let the node itself and others
 * recognize an older image of a directory. Immutable.
 *
 * @param own the last opening of the node's directory; empty before the first
 * @param known the known openings of other directories, at most one per replica name
 */
public record DirectoryOpenings(Optional<NodeOpening> own, List<NodeOpening> known) {
  /** The openings of a node without replicas. */
  public static final DirectoryOpenings NONE = new DirectoryOpenings(Optional.empty(), List.of());

  /** Copies the list. */
  public DirectoryOpenings {
    known = List.copyOf(known);
  }

  /**
   * The reason for refusing a node; empty to admit it.
   *
   * @param node the name of the node
   * @param others the openings that another node knows
   */
  Optional<String> refusal(String node, DirectoryOpenings others) {
    return own.flatMap(
        opening ->
            opening
                .newerOf(others.known)
                .map(
                    newer ->
                        "the directory of node %s is an older image: it was opened %d times, but other nodes know of %d; it lacks acknowledged commits, so restore the node's newest directory, or start the node with an empty directory"
                            .formatted(node, opening.count(), newer.count())));
  }
}
