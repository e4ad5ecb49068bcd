package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;

/** What watches need of a partition. Thread-safe. */
public interface CommitSource {
  /** The partition's newest commits. */
  CommitFeed feed();

  /**
   * Its stable vector: every commit at or before it is in the journal and was published to the
   * feed.
   */
  VectorClock stable();

  /**
   * Its stable vector, after moving on to the present if that is needed to reach a vector; less if
   * something before it is undecided or on its way. What is prepared or committed later is after
   * that vector either way. May wait for a sync.
   */
  VectorClock stableAfter(VectorClock vector);

  /**
   * Begins to read its past commits.
   *
   * @param after the point after which
   * @param wanted of them
   * @throws io.github.stablecut.error.SnapshotTruncatedException if that is not kept any more
   */
  CommitHistory history(VectorClock after, CommitFilter wanted);
}
