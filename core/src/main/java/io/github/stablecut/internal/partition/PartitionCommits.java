package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.watch.CommitFeed;
import io.github.stablecut.internal.watch.CommitHistory;
import io.github.stablecut.internal.watch.CommitSource;
import io.github.stablecut.internal.watch.JournalHistory;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.Position;
import java.util.List;

/** A partition as watches see it. Thread-safe. */
final class PartitionCommits implements CommitSource {
  private final Committer committer;
  private final SegmentTimes segments;
  private final Horizon horizon;

  PartitionCommits(Committer committer, SegmentTimes segments, Horizon horizon) {
    this.committer = committer;
    this.segments = segments;
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
        // Without a journal no later time can be promised, and nothing more is committed.
      }
    }
    return times.stable();
  }

  @Override
  public CommitHistory history(VectorClock after, IdRange range) {
    // First the newest segment: what is committed from now on is not before it.
    List<JournalStatus.Segment> all = committer.journal().status().segments();
    int newest = all.get(all.size() - 1).number();
    return new JournalHistory(
        new JournalHistory.Parts(committer.journal(), committer.times()::stable, horizon::check),
        after,
        range,
        Position.of(segments.firstAfter(after, newest), 0));
  }
}
