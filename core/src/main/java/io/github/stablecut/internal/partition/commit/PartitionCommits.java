package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.watch.CommitFeed;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.CommitHistory;
import io.github.stablecut.internal.watch.CommitSource;
import io.github.stablecut.internal.watch.JournalCommits;
import io.github.stablecut.internal.watch.JournalHistory;
import io.github.stablecut.journal.segment.Position;

/** A partition as watches see it. Thread-safe. */
public final class PartitionCommits implements CommitSource {
  private final Committer committer;
  private final SegmentTimes segments;
  private final PreparedTransactions prepared;
  private final Horizon horizon;

  public PartitionCommits(Committer committer, Horizon horizon) {
    this.committer = committer;
    this.segments = committer.sequencer().state().segments();
    this.prepared = committer.sequencer().state().prepared();
    this.horizon = horizon;
  }

  @Override
  public CommitFeed feed() {
    return committer.feed();
  }

  @Override
  public VectorClock stable() {
    return committer.times().stable();
  }

  @Override
  public VectorClock stableAfter(VectorClock vector) {
    StableTime times = committer.times();
    if (!vector.isAtOrBefore(times.stable())) {
      try {
        committer.promise(vector.join(times.now()));
      } catch (ReopenException e) {
        // A failed journal can't promise a later time, and commits nothing more.
      }
    }
    return times.stable();
  }

  @Override
  public CommitHistory history(VectorClock after, CommitFilter filter) {
    return new JournalHistory(
        new JournalCommits.Components(
            committer.sequencer().state().local(),
            committer.journal(),
            committer.times()::stable,
            horizon::check),
        after,
        filter,
        Position.of(firstNeeded(after), 0));
  }

  /** The first segment with a record of a transaction that is committed after a point. */
  private int firstNeeded(VectorClock after) {
    // The last registered segment first, then the prepared transactions: a transaction missing in
    // both has no record before that segment, or its outcome is seen.
    int lastKnown = segments.lastKnown();
    long undecided = prepared.oldestNeeded();
    int first = Math.min(lastKnown, segments.firstAfter(after, lastKnown));
    return undecided == Long.MAX_VALUE ? first : Math.min(first, Position.segment(undecided));
  }
}
