package io.github.stablecut.internal.recovery;

import java.util.Collection;
import java.util.Optional;

/**
 * An opening of the directory of a node with replicas. Each run of a node durably increments the
 * count before it announces it to others, which remember it. A directory with a lower count than
 * announced is therefore an older image: its replicas acknowledged records that it lacks, and have
 * lost their votes. Immutable.
 *
 * @param replica the name of the node's replicas
 * @param count the number of openings of the directory
 * @param run identifies the run of the node; 0 for a run that has not opened the directory yet
 */
public record NodeOpening(String replica, long count, long run) {
  /** Whether a directory with this opening is behind one that was announced. */
  public boolean isBehind(NodeOpening openings) {
    return replica.equals(openings.replica)
        && (count < openings.count || (count == openings.count && run != 0 && run != openings.run));
  }

  /** An announced opening that this directory lacks; empty if it is the newest. */
  public Optional<NodeOpening> newerOf(Collection<NodeOpening> openings) {
    return openings.stream().filter(this::isBehind).findFirst();
  }
}
