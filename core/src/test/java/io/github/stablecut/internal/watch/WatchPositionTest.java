package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The positions of watches after commits with older entries of another data centre than earlier
 * ones.
 */
final class WatchPositionTest {
  private static final VectorClock BEGIN = VectorClock.ofEntries(100, 50);
  private static final VectorClock FIRST = VectorClock.ofEntries(105, 40);
  private static final VectorClock SECOND = VectorClock.ofEntries(106, 30);

  /** Commits the given vectors, which are stable at once. */
  private static final class Source implements CommitSource {
    private final CommitFeed feed = new CommitFeed(BEGIN, 1 << 20);
    private final List<CommittedWrites> past = new ArrayList<>();
    private volatile VectorClock stable = BEGIN;

    void commit(VectorClock... vectors) {
      List<MinimalCommit> group = new ArrayList<>();
      for (VectorClock vector : vectors) {
        group.add(new MinimalCommit(vector, Bytes.utf8("k")));
        past.add(
            new CommittedWrites(
                vector,
                Set.of(new CommittedWrites.WrittenObject(Bytes.utf8("k"), PnCounter.TYPE))));
        stable = stable.join(vector);
      }
      feed.publish(group, Optional::of, stable);
      feed.wake();
    }

    @Override
    public CommitFeed feed() {
      return feed;
    }

    @Override
    public VectorClock stable() {
      return stable;
    }

    @Override
    public VectorClock stableAfter(VectorClock vector) {
      return stable;
    }

    @Override
    public CommitHistory history(VectorClock after, CommitFilter wanted) {
      return most -> new CommitHistory.Piece(past, stable, true);
    }
  }

  private static CommittedWrites next(WatchReader reader) throws InterruptedException {
    return reader.poll(System.nanoTime() + Duration.ofSeconds(30).toNanos()).orElseThrow().writes();
  }

  @Test
  void keepsItsOtherEntriesWhileAWatchReadsThePast() throws InterruptedException {
    Source source = new Source();
    source.commit(FIRST, SECOND);
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 1);
        WatchReader reader =
            WatchReader.after(
                dispatcher, new WatchBuffer(CommitFilter.of(IdRange.all()), 10), BEGIN)) {
      assertThat(next(reader).at()).isEqualTo(FIRST);
      assertThat(reader.position()).isEqualTo(VectorClock.ofEntries(105, 50));
      assertThat(next(reader).at()).isEqualTo(SECOND);
      assertThat(reader.position()).isEqualTo(VectorClock.ofEntries(106, 50));
    }
  }

  @Test
  void aWatchWithTooManyInvisibleCommitsEnds() throws InterruptedException {
    Source source = new Source();
    source.stable = BEGIN;
    for (int i = 1; i <= 11; i++) {
      source.past.add(
          new CommittedWrites(
              VectorClock.ofEntries(100, 200 + i, 150),
              Set.of(new CommittedWrites.WrittenObject(Bytes.utf8("k"), PnCounter.TYPE))));
    }
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 1, 10, Long.MAX_VALUE);
        WatchReader reader =
            WatchReader.after(
                dispatcher, new WatchBuffer(CommitFilter.of(IdRange.all()), 100), BEGIN)) {
      assertThat(reader.poll(System.nanoTime() + Duration.ofSeconds(30).toNanos())).isEmpty();
      assertThat(reader.end()).contains(WatchReader.End.OVERFLOWED);
      assertThat(reader.position()).isEqualTo(BEGIN);
    }
  }

  @Test
  void keepsItsOtherEntriesWhileAWatchFollowsThePresent() throws InterruptedException {
    Source source = new Source();
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 1);
        WatchReader reader =
            WatchReader.fromNow(
                dispatcher, new WatchBuffer(CommitFilter.of(IdRange.all()), 10), BEGIN)) {
      source.commit(FIRST, SECOND);

      assertThat(next(reader).at()).isEqualTo(FIRST);
      assertThat(reader.position()).isEqualTo(VectorClock.ofEntries(105, 50));
      assertThat(next(reader).at()).isEqualTo(SECOND);
      assertThat(reader.position()).isEqualTo(VectorClock.ofEntries(106, 50));
    }
  }
}
