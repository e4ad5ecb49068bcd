package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The snapshot of a transaction stays protected until its effects are in the index of every
 * partition that it writes, however the commit is called and however long it takes.
 */
class CommitSnapshotTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withPartitions(2)
          .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));

  /** A busy machine starts a commit within this time. */
  private static final Duration AGE = Duration.ofSeconds(3);

  @TempDir Path directory;

  @Test
  void checkpointDuringAnAsynchronousCommitOverPartitionsPrunesNothingOfIt() throws Exception {
    int rounds = 30;
    try (Store store = Stablecut.open(directory, OPTIONS)) {
      for (int round = 0; round < rounds; round++) {
        ResettableCounterKey counter = Key.resettableCounter("b", "r" + round);
        CausalToken before = store.update(counter.increment(5));
        assertThat(store.at(before).read(counter)).isEqualTo(5);
        Transaction reset = store.begin();
        reset.update(counter.reset());
        for (int other = 0; other < 8; other++) {
          reset.update(Key.counter("b", "o" + other).increment());
        }
        CausalToken concurrent = store.update(counter.increment(7));
        assertThat(store.at(concurrent).read(counter)).isEqualTo(12);

        var committed = reset.commitAsync().toCompletableFuture();
        store.checkpoint();
        CausalToken token = committed.get(1, TimeUnit.MINUTES);

        assertThat(store.at(token).read(counter)).as("round " + round).isEqualTo(7);
      }
    }
    try (Store store = Stablecut.open(directory, OPTIONS)) {
      for (int round = 0; round < rounds; round++) {
        assertThat(store.read(Key.resettableCounter("b", "r" + round))).isEqualTo(7);
      }
    }
  }

  /** The machine's clock stops the committing thread at a point where a slow machine could. */
  @Test
  void aCommitThatOutlastsTheMaximumAgeIsNotPruned() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    StoreOptions options =
        OPTIONS
            .withPartitions(1)
            .withMaxTransactionAge(AGE)
            .withClock(
                () -> {
                  if (Thread.currentThread().getName().equals("slow")) {
                    stopped.countDown();
                    awaitUninterruptibly(goOn);
                  }
                  return Instant.now();
                });
    ResettableCounterKey counter = Key.resettableCounter("b", "r");
    try (Store store = Stablecut.open(directory, options)) {
      CausalToken before = store.update(counter.increment(5));
      assertThat(store.at(before).read(counter)).isEqualTo(5);
      Transaction reset = store.begin();
      reset.update(counter.reset());
      CausalToken concurrent = store.update(counter.increment(7));
      assertThat(store.at(concurrent).read(counter)).isEqualTo(12);

      Thread slow = new Thread(reset::commit, "slow");
      List<Throwable> failures = new ArrayList<>();
      slow.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
      slow.start();
      stopped.await();
      Thread checkpoint = new Thread(store::checkpoint);
      checkpoint.start();
      // Long enough for the active snapshot to be too old; the commit is checked either way.
      checkpoint.join(AGE.toMillis() + 500);
      goOn.countDown();
      slow.join();
      checkpoint.join();
      store.checkpoint();

      assertThat(store.read(counter)).isEqualTo(failures.isEmpty() ? 7 : 12);
    }
  }

  /** A pool that is shut down loses the tasks in its queue. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aStageThatTheExecutorLosesKeepsNoActiveSnapshot(int partitions) throws Exception {
    StoreOptions options = OPTIONS.withPartitions(partitions).withExecutor(lost -> {});
    Update[] updates = new Update[8];
    for (int i = 0; i < updates.length; i++) {
      updates[i] = Key.counter("b", "o" + i).increment();
    }
    try (Store store = Stablecut.open(directory, options)) {
      store.updateAsync(updates);

      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (store.status().openTransactions() > 0 && System.nanoTime() < end) {
        Thread.sleep(1);
      }

      assertThat(store.read(Key.counter("b", "o0"))).isEqualTo(1);
      assertThat(store.status().openTransactions()).isEqualTo(0);
    }
  }

  /** A pin registers its point first, and then checks whether it is still kept. */
  @Test
  void aRefusedPinFailsNeitherCheckpointNorStatus() throws Exception {
    CounterKey counter = Key.counter("b", "c");
    try (Store store = Stablecut.open(directory, OPTIONS.withPartitions(1))) {
      CausalToken old = store.update(counter.increment());
      store.update(counter.increment());
      store.checkpoint();
      AtomicBoolean isOver = new AtomicBoolean();
      Thread pinning =
          new Thread(
              () -> {
                while (!isOver.get()) {
                  assertThatThrownBy(() -> store.pin(old))
                      .isInstanceOf(SnapshotTruncatedException.class);
                }
              });
      pinning.start();
      try {
        for (int round = 0; round < 300; round++) {
          StoreStatus status = store.status();
          assertThat(status.openTransactions()).isBetween(0, 1);
          store.update(counter.increment());
          store.checkpoint();
        }
      } finally {
        isOver.set(true);
        pinning.join();
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
