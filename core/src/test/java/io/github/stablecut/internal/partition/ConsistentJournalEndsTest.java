package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * The ends of several journals are recorded while none of them is appended to: otherwise a record
 * could lie before one end and its dependency behind the other.
 */
final class ConsistentJournalEndsTest {
  private static final long PATIENCE_SECONDS = 10;

  private static Partition open() {
    return Partition.open(
        GeneratedPartition.options(LocalDataCentre.FIRST),
        PartitionContext.builder(
                1,
                new HybridClock(
                    new MachineClock(InstantSource.system(), System::nanoTime, Duration.ofDays(1))),
                new ActiveSnapshots(System::nanoTime, Long.MAX_VALUE),
                (to, message) -> {})
            .build(),
        new LossySegments(),
        new LossyDirectory());
  }

  @Test
  void nothingIsAppendedToOneWhileWaitingForAnother() throws Exception {
    try (Partition one = open();
        Partition other = open()) {
      CountDownLatch isHeld = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      FutureTask<Void> holding =
          new FutureTask<>(() -> other.sequencer().run(() -> hold(isHeld, release)), null);
      new Thread(holding).start();
      isHeld.await();
      FutureTask<long[]> ends =
          new FutureTask<>(
              () -> Sequencer.nextAppended(List.of(one.sequencer(), other.sequencer())));
      try {
        new Thread(ends).start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

        while (isFree(one.sequencer())) {
          assertThat(System.nanoTime()).as("records can be appended").isLessThan(deadline);
        }

        assertThat(ends.isDone()).isFalse();
      } finally {
        release.countDown();
      }
      assertThat(ends.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).containsExactly(1, 1);
      assertThat(holding).succeedsWithin(Duration.ofSeconds(PATIENCE_SECONDS));
    }
  }

  private static void hold(CountDownLatch isHeld, CountDownLatch release) {
    isHeld.countDown();
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether the commit lock is free. */
  private static boolean isFree(Sequencer sequencer) throws Exception {
    FutureTask<Boolean> passing = new FutureTask<>(sequencer::passThrough, true);
    new Thread(passing).start();
    try {
      return passing.get(200, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return false;
    }
  }
}
