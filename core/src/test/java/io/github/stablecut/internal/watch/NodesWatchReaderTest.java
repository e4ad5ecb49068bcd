package io.github.stablecut.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.PartitionUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The progress of a watch of several nodes without changes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NodesWatchReaderTest {
  private static final LocalDataCentre LOCAL = LocalDataCentre.FIRST;
  private static final VectorClock BEGIN = LOCAL.at(100);
  private static final VectorClock LATER = LOCAL.at(200);

  private static final int LARGE_BYTES = 10_000;

  private final AtomicInteger presents = new AtomicInteger();

  /** Has no wanted commits, and advances on request. */
  private static CommitReadRequest.Piece idle(CommitReadRequest reading) {
    return new CommitReadRequest.Piece(1, List.of(), reading.after().join(reading.moveOn()), true);
  }

  /** Has committed something unwanted. */
  private static CommitReadRequest.Piece busy(CommitReadRequest reading) {
    return new CommitReadRequest.Piece(1, List.of(), LATER, true);
  }

  private void awaitPosition(VectorClock present, NodesWatchReader.Source first)
      throws InterruptedException {
    List<NodesWatchReader.Source> sources = List.of(first, NodesWatchReaderTest::idle);
    NodesWatchReader.Partitions partitions =
        new NodesWatchReader.Partitions(
            LOCAL,
            sources,
            () -> {
              presents.getAndIncrement();
              return present;
            });
    try (WatchDispatcher dispatcher = new WatchDispatcher(LOCAL, List.of(), 1);
        NodesWatchReader reader =
            NodesWatchReader.after(
                dispatcher,
                new WatchBuffer(CommitFilter.of(IdRange.all()), 10),
                partitions,
                BEGIN)) {
      while (!LATER.isAtOrBefore(reader.position())) {
        assertThat(reader.poll(System.nanoTime() + Duration.ofMillis(20).toNanos())).isEmpty();
      }
    }
  }

  @Test
  void anIdlePartitionReachesTheTimeOfAnother() throws InterruptedException {
    awaitPosition(BEGIN, NodesWatchReaderTest::busy);
  }

  @Test
  void anIdleStoreReachesThePresentOnce() throws InterruptedException {
    awaitPosition(LATER, NodesWatchReaderTest::idle);

    assertThat(presents).hasValue(1);
  }

  @Test
  void reportsALongUnreadablePartitionOnTheNextCall() throws InterruptedException {
    AtomicBoolean isAway = new AtomicBoolean(true);
    NodesWatchReader.Source first =
        reading -> {
          if (isAway.get()) {
            throw new PartitionUnavailableException("nobody answers");
          }
          return busy(reading);
        };
    NodesWatchReader.Partitions partitions =
        new NodesWatchReader.Partitions(
            LOCAL, List.of(first, NodesWatchReaderTest::idle), () -> BEGIN);
    try (WatchDispatcher dispatcher = new WatchDispatcher(LOCAL, List.of(), 1);
        NodesWatchReader reader =
            NodesWatchReader.after(
                dispatcher,
                new WatchBuffer(CommitFilter.of(IdRange.all()), 10),
                partitions,
                BEGIN)) {
      reader.checkReached(0);
      assertThat(reader.poll(System.nanoTime())).isEmpty();

      assertThatThrownBy(() -> reader.checkReached(0))
          .isInstanceOf(PartitionUnavailableException.class);
      reader.checkReached(Duration.ofHours(1).toNanos());

      isAway.set(false);
      assertThat(reader.poll(System.nanoTime())).isEmpty();
      reader.checkReached(0);
    }
  }

  @Test
  void aWatchReadsAheadOnlyWithinItsShareOfTheWatchMemory() throws InterruptedException {
    AtomicLong time = new AtomicLong(BEGIN.get(0));
    NodesWatchReader.Source ahead =
        reading -> {
          VectorClock at = VectorClock.of(time.incrementAndGet());
          return new CommitReadRequest.Piece(1, List.of(large(at)), at, false);
        };
    NodesWatchReader.Source behind =
        reading -> new CommitReadRequest.Piece(1, List.of(), BEGIN, true);
    NodesWatchReader.Partitions partitions =
        new NodesWatchReader.Partitions(LOCAL, List.of(ahead, behind), () -> BEGIN);
    try (WatchDispatcher dispatcher =
            new WatchDispatcher(LOCAL, List.of(), 2, Long.MAX_VALUE, 10L * LARGE_BYTES);
        NodesWatchReader reader = reader(dispatcher, partitions);
        NodesWatchReader other = reader(dispatcher, partitions)) {
      for (int i = 0; i < 50; i++) {
        assertThat(reader.poll(System.nanoTime())).isEmpty();
      }

      assertThat(time).hasValue(BEGIN.get(0) + 5);
      assertThat(other.poll(System.nanoTime())).isEmpty();
    }
  }

  private static NodesWatchReader reader(
      WatchDispatcher dispatcher, NodesWatchReader.Partitions partitions) {
    return NodesWatchReader.after(
        dispatcher, new WatchBuffer(CommitFilter.of(IdRange.all()), 1_000), partitions, BEGIN);
  }

  private static CommittedWrites large(VectorClock at) {
    List<Bytes> effects = List.of(Bytes.wrap(new byte[LARGE_BYTES]));
    return new CommittedWrites(
        at, Set.of(new CommittedWrites.WrittenObject(Bytes.utf8("k"), PnCounter.TYPE, effects)));
  }
}
