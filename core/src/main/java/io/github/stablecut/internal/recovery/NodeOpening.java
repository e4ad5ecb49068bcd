package io.github.stablecut.internal.recovery;

import java.util.Collection;
import java.util.Optional;

/**
 * An opening of the directory of a node whose partitions have copies. Each run of a node counts one
 * more, durably, before it tells others of it, and they remember what they have heard. So a
 * directory that says less than they have heard is an older image: its copies have acknowledged
 * what it lacks, and do not know any more what they have promised. Immutable.
 *
 * @param replica the name of the node's copies
 * @param count so often the directory was opened
 * @param run tells the runs of a node apart; 0 of a run that has not opened the directory yet
 */
public record NodeOpening(String replica, long count, long run) {
  /** Whether a directory of which this is said lacks what was heard of it. */
  public boolean isBehind(NodeOpening heard) {
    return replica.equals(heard.replica)
        && (count < heard.count || (count == heard.count && run != 0 && run != heard.run));
  }

  /** What this directory lacks of what was heard; empty if it is the newest. */
  public Optional<NodeOpening> newerOf(Collection<NodeOpening> heard) {
    return heard.stream().filter(this::isBehind).findFirst();
  }
}
