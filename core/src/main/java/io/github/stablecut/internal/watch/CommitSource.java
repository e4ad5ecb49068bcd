package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;

/** A partition as watches see it. Thread-safe. */
public interface CommitSource {
  /** The partition's newest commits. */
  CommitFeed feed();

  /**
   * The partition's stable vector: every commit at or before it is in the journal and was published
   * to the feed.
   */
  VectorClock stable();

  /**
   * Returns the stable vector after advancing the partition to the present if that is needed to
   * reach a vector. The result is lower if an earlier transaction is undecided or in flight. Later
   * prepares and commits are after the given vector in any case. May wait for a sync.
   */
  @CanIgnoreReturnValue
  VectorClock stableAfter(VectorClock vector);

  /**
   * Opens a reader of the partition's past commits.
   *
   * @param after the point after which commits are read
   * @param filter selects the commits
   * @throws io.github.stablecut.error.SnapshotTruncatedException if commits after that point were
   *     truncated
   */
  CommitHistory history(VectorClock after, CommitFilter filter);
}
