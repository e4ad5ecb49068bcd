package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * What a watch over several nodes wants to have of a partition next. Immutable.
 *
 * @param reader stands for the watch
 * @param state of the piece that the watch has got last of this partition; 0 for none
 * @param after the point after which commits are wanted, all before being there
 * @param wanted of commits
 * @param moveOn an idle partition moves on to it
 * @param most about so many commits
 */
public record CommitReadRequest(
    long reader, long state, VectorClock after, CommitFilter wanted, VectorClock moveOn, int most) {
  /**
   * What comes next.
   *
   * @param state stands for where the partition goes on; never 0
   * @param writes as {@link CommitHistory.Piece} has them
   * @param complete every later piece's commits are after it
   * @param atEnd whether there was nothing more
   */
  public record Piece(
      long state, List<CommittedWrites> writes, VectorClock complete, boolean atEnd) {
    /** Copies. */
    public Piece {
      writes = List.copyOf(writes);
    }
  }
}
