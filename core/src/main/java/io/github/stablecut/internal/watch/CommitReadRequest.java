package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * The request of a watch over several nodes for a partition's next commits. Immutable.
 *
 * @param reader identifies the watch
 * @param state the state of the last piece that the watch received from this partition; 0 for none
 * @param after the point after which commits are requested
 * @param filter selects the commits
 * @param moveOn the vector to which an idle partition advances
 * @param most the approximate maximum number of commits
 */
public record CommitReadRequest(
    long reader, long state, VectorClock after, CommitFilter filter, VectorClock moveOn, int most) {
  /**
   * The next commits.
   *
   * @param state identifies where the partition continues; never 0
   * @param writes as in {@link CommitHistory.Piece}
   * @param complete a vector before all commits of later pieces
   * @param atEnd whether there were no further commits
   */
  public record Piece(
      long state, List<CommittedWrites> writes, VectorClock complete, boolean atEnd) {
    /** Copies. */
    public Piece {
      writes = List.copyOf(writes);
    }
  }
}
