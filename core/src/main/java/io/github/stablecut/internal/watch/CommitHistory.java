package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * A partition's past commits after a point, read in pieces from the journal. It does not retain
 * past commits. Confined to one thread at a time.
 */
public interface CommitHistory {
  /**
   * A piece of the history.
   *
   * @param writes the commits that match the filter. They are unordered where a later decision can
   *     have an earlier time. Commits of other data centres are included as soon as they are
   *     durable, even if not visible, and perhaps repeatedly
   * @param complete a vector before all commits of later pieces
   * @param atEnd whether the piece reaches the stable vector at the time of the call
   */
  record Piece(List<CommittedWrites> writes, VectorClock complete, boolean atEnd) {
    /** Copies. */
    public Piece {
      writes = List.copyOf(writes);
    }
  }

  /**
   * Reads the next piece.
   *
   * @param most the approximate maximum number of commits
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits were truncated
   */
  Piece read(int most);

  /**
   * Like {@link #read(int)}.
   *
   * @param large permits large records; the piece ends before one that it refuses
   */
  default Piece read(int most, LargeReads large) {
    return read(most);
  }
}
