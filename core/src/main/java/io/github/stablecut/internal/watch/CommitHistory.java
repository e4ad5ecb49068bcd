package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * A partition's commits of the past after some point, read in pieces. Holds nothing of the past.
 * Confined to one thread at a time.
 */
public interface CommitHistory {
  /**
   * A piece of it.
   *
   * @param writes of those that have written something wanted; not in order, if what is decided
   *     later can have an earlier time; those of other data centres as soon as they are durable,
   *     visible or not, and perhaps repeatedly
   * @param complete every later piece's commits are after it
   * @param atEnd whether it reaches the stable vector of the time of the call
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
   * @param most about so many commits
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  Piece read(int most);
}
