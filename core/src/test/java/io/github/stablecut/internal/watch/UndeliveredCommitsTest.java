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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Commits that a watch has read and its user has not taken: they count towards the store's watch
 * memory.
 */
final class UndeliveredCommitsTest {
  private static final int LARGE = 100_000;
  private static final VectorClock BEGIN = VectorClock.of(100);
  private static final VectorClock FIRST = VectorClock.of(101);
  private static final VectorClock SECOND = VectorClock.of(102);

  /** A partition with a past, and commits that are stable at once. */
  private static final class Source implements CommitSource {
    private final CommitFeed feed = new CommitFeed(BEGIN, 1 << 20);
    private final List<CommittedWrites> past = new ArrayList<>();
    private volatile VectorClock stable = BEGIN;

    void commit(VectorClock vector, int idBytes) {
      Bytes id = Bytes.wrap(new byte[idBytes]);
      past.add(
          new CommittedWrites(
              vector, Set.of(new CommittedWrites.WrittenObject(id, PnCounter.TYPE))));
      VectorClock reached = stable.join(vector);
      feed.publish(List.of(new MinimalCommit(vector, id)), Optional::of, reached);
      // Last: a commit at or before the stable vector was published.
      stable = reached;
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
      return most -> new CommitHistory.Piece(List.copyOf(past), stable, true);
    }
  }

  private final Source source = new Source();
  private final WatchDispatcher dispatcher =
      new WatchDispatcher(LocalDataCentre.FIRST, List.of(source), 9, 1_000, 2 * LARGE);

  private static WatchBuffer buffer() {
    return new WatchBuffer(CommitFilter.of(IdRange.all()), 10);
  }

  private static long deadline() {
    return System.nanoTime() + Duration.ofSeconds(30).toNanos();
  }

  private static VectorClock next(MergedCommits reader) throws InterruptedException {
    return reader.poll(deadline()).orElseThrow().writes().at();
  }

  private static void assertCrowdedOutAfterTheFirst(MergedCommits reader)
      throws InterruptedException {
    assertThat(reader.end()).contains(WatchSource.End.CROWDED_OUT);
    assertThat(reader.poll(0)).isEmpty();
    assertThat(reader.position()).isEqualTo(FIRST);
  }

  @Test
  void largePastCommitsCountUntilTaken() throws InterruptedException {
    source.commit(FIRST, 1);
    source.commit(SECOND, LARGE);
    List<MergedCommits> readers = new ArrayList<>();
    try (dispatcher) {
      for (int i = 0; i < 3; i++) {
        MergedCommits reader = WatchReader.after(dispatcher, buffer(), BEGIN);
        readers.add(reader);
        assertThat(next(reader)).isEqualTo(FIRST);
      }

      assertThat(dispatcher.memory().taken()).isBetween((long) LARGE, 2L * LARGE);
      assertThat(readers.stream().filter(reader -> reader.end().isPresent()).count()).isEqualTo(2);
      for (MergedCommits reader : readers.subList(0, 2)) {
        assertCrowdedOutAfterTheFirst(reader);
      }
      assertThat(next(readers.get(2))).isEqualTo(SECOND);
      assertThat(dispatcher.memory().taken()).isZero();
    }
  }

  @Test
  void aCommitFromTheBufferCountsUntilTaken() throws InterruptedException {
    try (dispatcher;
        MergedCommits slow = WatchReader.fromNow(dispatcher, buffer(), BEGIN);
        MergedCommits other = WatchReader.fromNow(dispatcher, buffer(), BEGIN)) {
      source.commit(FIRST, 1);
      source.commit(SECOND, LARGE);
      slow.buffer.awaitComplete(SECOND, deadline());
      other.buffer.awaitComplete(SECOND, deadline());
      assertThat(next(slow)).isEqualTo(FIRST);
      assertThat(next(other)).isEqualTo(FIRST);
      assertThat(next(other)).isEqualTo(SECOND);
      assertThat(dispatcher.memory().taken()).isBetween((long) LARGE, 2L * LARGE);

      VectorClock third = VectorClock.of(103);
      CountDownLatch ended = new CountDownLatch(1);
      slow.onEnd(ended::countDown);
      source.commit(third, LARGE);

      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(next(other)).isEqualTo(third);
      assertCrowdedOutAfterTheFirst(slow);
      assertThat(dispatcher.memory().taken()).isZero();
    }
  }

  @Test
  void aPeekedCommitStaysAndTheEndDiscardsIt() throws InterruptedException {
    source.commit(FIRST, LARGE);
    try (dispatcher) {
      MergedCommits reader = WatchReader.after(dispatcher, buffer(), BEGIN);
      for (int i = 0; i < 2; i++) {
        assertThat(reader.peek(deadline()).orElseThrow().writes().at()).isEqualTo(FIRST);
        assertThat(reader.position()).isEqualTo(BEGIN);
      }
      assertThat(dispatcher.memory().taken()).isGreaterThan(LARGE);

      reader.close();

      assertThat(reader.remove()).isEmpty();
      assertThat(reader.position()).isEqualTo(BEGIN);
      assertThat(dispatcher.memory().taken()).isZero();
    }
  }
}
