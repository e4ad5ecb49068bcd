package io.github.stablecut.internal.truncation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.index.VersionBytes;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commits without a checkpoint are counted and bounded. */
final class CheckpointBacklogTest {
  private static final long EFFECTS = 100_000;
  private static final long LARGE_HEAP = 1L << 40;

  private PagedStates states = new PagedStates(1 << 30);

  private CheckpointBacklog backlog = backlog(Duration.ofMillis(1), LARGE_HEAP);

  private CheckpointBacklog backlog(Duration longestWait, long heapBytes) {
    CheckpointPolicy policy =
        CheckpointPolicy.defaults().withEffects(EFFECTS).withJournalBytes(100 << 20);
    return backlog(policy, longestWait, heapBytes);
  }

  private CheckpointBacklog backlog(CheckpointPolicy policy, Duration longestWait, long heapBytes) {
    return new CheckpointBacklog(
        new MaintenanceSetup.Settings(3, policy, longestWait, heapBytes, new FaultLog()), states);
  }

  private void open(Duration longestWait, long heapBytes) {
    backlog = backlog(longestWait, heapBytes);
    backlog.open();
  }

  @AfterEach
  void close() {
    backlog.close();
  }

  @Test
  void aCheckpointIsDueByCommitsSinceTheStartOfTheLast() {
    assertThat(backlog.add(1, 1)).as("the first").isTrue();
    assertThat(backlog.add(1, EFFECTS - 2)).isFalse();
    assertThat(backlog.isDue()).isFalse();
    assertThat(backlog.add(1, 1)).as("it is due").isTrue();
    assertThat(backlog.isDue()).isTrue();

    backlog.begin();
    assertThat(backlog.isDue()).isFalse();
    assertThat(backlog.isEmpty()).isTrue();
    backlog.covered();
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void aCheckpointIsDueWhenAVersionHoldsManyCopies() {
    open(Duration.ofMillis(1), 256L << 20);
    backlog.add(1, 1);
    copied(1 << 20);
    assertThat(backlog.add(1, 1)).isFalse();
    assertThat(backlog.isDue()).isFalse();

    copied((16 << 20) + 1);
    assertThat(backlog.add(1, 1)).as("it is due").isTrue();
    assertThat(backlog.isDue()).isTrue();
    assertThat(backlog.add(1, 1)).as("nobody is notified again").isFalse();
    assertThat(backlog.isFull()).isFalse();

    copied((64 << 20) + 1);
    backlog.add(1, 1);
    assertThatThrownBy(() -> backlog.awaitRoom(() -> "so"))
        .isInstanceOf(CheckpointBacklogException.class)
        .hasMessageContaining("67,108,865 bytes of a large object");

    backlog.begin();
    assertThat(backlog.isDue()).as("nothing was committed since").isFalse();
    states.checkpointed();
    backlog.covered();
    assertThat(backlog.isFull()).isFalse();
    copied((64 << 20) + 1);
    backlog.covered();
    assertThat(backlog.isFull()).as("no checkpoint would end it").isFalse();
    assertThat(backlog.add(1, 1)).as("it is due again").isTrue();
    assertThat(backlog.isDue()).isTrue();
    backlog.begin();
    backlog.add(1, 1);
    states.checkpointed();
    backlog.covered();
    copied((16 << 20) + 1);
    assertThat(backlog.add(1, 1)).as("it is due once more").isTrue();
  }

  @Test
  void aStateTooLargeForTheCacheMakesACheckpointDueAndAgainWhenDoubled() {
    states = new PagedStates((8 << 20) * 2 / PagedStates.CACHE_PARTS);
    open(Duration.ofMinutes(1), LARGE_HEAP);
    whole(8 << 20);
    assertThat(backlog.add(1, 1)).isTrue();
    assertThat(backlog.isDue()).as("half of the cache").isFalse();
    whole((8 << 20) + 1);
    assertThat(backlog.isDue()).isTrue();

    backlog.begin();
    states.checkpointed();
    backlog.covered();
    whole(16 << 20);
    backlog.add(1, 1);
    assertThat(backlog.isDue()).as("it could not be put into pages").isFalse();
    whole((16 << 20) + 3);
    assertThat(backlog.isDue()).isTrue();
  }

  @Test
  void aCheckpointIsDueWhenMuchWasAddedToAStateInPages() {
    states = new PagedStates((8 << 20) * 2 / PagedStates.CACHE_PARTS);
    open(Duration.ofMinutes(1), LARGE_HEAP);
    backlog.add(1, 1);
    inPages(8 << 20);
    assertThat(backlog.isDue()).as("half of the cache").isFalse();
    inPages((8 << 20) + 1);
    assertThat(backlog.isDue()).isTrue();
  }

  private void changed(VersionBytes takes) {
    states.changed(new Version(PnCounter.TYPE, VectorClock.ZERO, VectorClock.ZERO, 0L, takes));
  }

  private void inPages(int bytes) {
    changed(new VersionBytes(bytes, 1, 0));
  }

  private void whole(int bytes) {
    changed(new VersionBytes(bytes, 0, 0));
  }

  private void copied(long bytes) {
    changed(new VersionBytes(0, 1, bytes));
  }

  @Test
  void theBacklogOfAFailedCheckpointCountsForTheNext() {
    backlog.add(1, EFFECTS - 1);
    backlog.begin();
    backlog.add(1, 1);
    assertThat(backlog.isDue()).isFalse();

    backlog.uncovered();

    assertThat(backlog.isDue()).isTrue();
  }

  @Test
  void refusesWritesWhenCheckpointsDoNotCatchUp() {
    open(Duration.ofMillis(1), LARGE_HEAP);
    backlog.add(1, 4 * EFFECTS);
    backlog.awaitRoom(() -> "so");
    backlog.add(1, 1);

    assertThatThrownBy(() -> backlog.awaitRoom(() -> "the disk is full"))
        .isInstanceOf(CheckpointBacklogException.class)
        .hasMessageContaining("partition 3 has 400,001 operations")
        .hasMessageContaining("of at most 400,000")
        .hasMessageContaining("the disk is full")
        .hasMessageContaining("try again later");
    assertThat(backlog.isFull()).isTrue();

    backlog.begin();
    assertThat(backlog.isFull()).as("while it is being made it is in memory").isTrue();
    backlog.covered();
    backlog.awaitRoom(() -> "so");
  }

  /** An ending checkpoint holds the lock that readers of the reason take. */
  @Test
  void aCheckpointCanEndWhileAWriterLearnsTheReasonForItsRefusal() {
    open(Duration.ofMillis(1), LARGE_HEAP);
    backlog.add(1, 4 * EFFECTS + 1);

    assertThatThrownBy(
            () ->
                backlog.awaitRoom(
                    () -> {
                      CompletableFuture.runAsync(backlog::uncovered).join();
                      return "the disk is full";
                    }))
        .isInstanceOf(CheckpointBacklogException.class)
        .hasMessageContaining("the disk is full");
  }

  @Test
  void boundsBytesOfTheJournalToo() {
    open(Duration.ofMillis(1), LARGE_HEAP);
    backlog.add((400L << 20) + 1, 1);

    assertThatThrownBy(() -> backlog.awaitRoom(() -> "so"))
        .isInstanceOf(CheckpointBacklogException.class);
  }

  @Test
  void aSmallHeapAllowsLessAndMakesCheckpointsDueEarlier() {
    long heap = 4L * 350 * 20_000 * 100;
    open(Duration.ofMillis(1), heap / 100);

    backlog.add(1, 10_000);
    assertThat(backlog.isDue()).isTrue();
    backlog.add(1, 10_001);
    assertThat(backlog.isFull()).isTrue();
  }

  @Test
  void waitersContinueWhenACheckpointExistsOrTheStoreIsClosed() throws Exception {
    open(Duration.ofHours(1), LARGE_HEAP);
    backlog.add(1, 4 * EFFECTS + 1);
    FutureTask<Void> first = waiting();
    backlog.begin();
    backlog.covered();
    first.get();

    backlog.add(1, 4 * EFFECTS + 1);
    FutureTask<Void> second = waiting();
    backlog.close();
    second.get();
  }

  private FutureTask<Void> waiting() {
    FutureTask<Void> task = new FutureTask<>(() -> backlog.awaitRoom(() -> "so"), null);
    Thread thread = new Thread(task);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return task;
  }

  @Test
  void doesNotBlockWritersIfCheckpointsAreMadeByCall() {
    backlog = backlog(CheckpointPolicy.byCall(), Duration.ofMillis(1), 1 << 20);
    backlog.open();
    copied(1 << 30);
    backlog.add(1 << 30, Integer.MAX_VALUE);

    assertThat(backlog.isDue()).isFalse();
    backlog.awaitRoom(() -> "so");
  }

  @Test
  void anotherTaskOfThePoolRunsWhileAWriterWaits() throws Exception {
    open(Duration.ofMinutes(1), LARGE_HEAP);
    backlog.add(1, 4 * EFFECTS + 1);
    assertThat(backlog.isFull()).isTrue();
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      Future<?> writer = pool.submit(() -> backlog.awaitRoom(() -> "so"));
      CountDownLatch other = new CountDownLatch(1);
      pool.execute(other::countDown);

      assertThat(other.await(50, TimeUnit.SECONDS)).isTrue();
      backlog.begin();
      backlog.covered();
      assertThat(writer.get()).isNull();
    } finally {
      pool.shutdownNow();
    }
  }
}
