package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests that block on one partition do not delay requests for other partitions. */
class BulkheadTest {
  @Test
  void answersOtherPartitionsWhileAllRequestsForOneBlock() throws Exception {
    NodeThreads threads = NodeThreads.start();
    Bulkhead frozen = new Bulkhead(threads.reads());
    Bulkhead other = new Bulkhead(threads.reads());
    CompletableFuture<Void> thaws = new CompletableFuture<>();
    CountDownLatch thawed = new CountDownLatch(1_000);
    for (int i = 0; i < 1_000; i++) {
      frozen.execute(
          () -> {
            thaws.join();
            thawed.countDown();
          });
    }

    CountDownLatch answered = new CountDownLatch(100);
    for (int i = 0; i < 100; i++) {
      other.execute(answered::countDown);
    }

    answered.await();
    assertThat(thawed.getCount()).isEqualTo(1_000);
    thaws.complete(null);
    thawed.await();
    assertThat(threads.close(Duration.ofMinutes(1))).isTrue();
  }

  @Test
  void limitsRunningTasksAndRunsQueuedTasksInOrder() {
    Deque<Runnable> started = new ArrayDeque<>();
    Bulkhead bulkhead = new Bulkhead(started::add);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < Bulkhead.MAX_RUNNING + Bulkhead.MAX_QUEUED; i++) {
      int number = i;
      bulkhead.execute(() -> assertThat(done.getAndIncrement()).isEqualTo(number));
    }

    assertThat(started).hasSize(Bulkhead.MAX_RUNNING);
    assertThatThrownBy(() -> bulkhead.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    while (!started.isEmpty()) {
      started.remove().run();
    }
    assertThat(done).hasValue(Bulkhead.MAX_RUNNING + Bulkhead.MAX_QUEUED);
  }

  /** Simulates a lack of memory for a thread. Some pools run the task later although they threw. */
  @Test
  void aFailingPoolTakesNoSlot() {
    Deque<Runnable> known = new ArrayDeque<>();
    AtomicBoolean fails = new AtomicBoolean(true);
    Bulkhead bulkhead =
        new Bulkhead(
            task -> {
              known.add(task);
              if (fails.get()) {
                throw new OutOfMemoryError("injected");
              }
            });
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 2 * Bulkhead.MAX_RUNNING; i++) {
      assertThatThrownBy(() -> bulkhead.execute(done::incrementAndGet))
          .isInstanceOf(OutOfMemoryError.class);
    }
    known.forEach(Runnable::run);
    assertThat(done).hasValue(0);
    known.clear();
    fails.set(false);

    for (int i = 0; i < Bulkhead.MAX_RUNNING + 1; i++) {
      bulkhead.execute(done::incrementAndGet);
    }

    assertThat(known).hasSize(Bulkhead.MAX_RUNNING);
    while (!known.isEmpty()) {
      known.remove().run();
    }
    assertThat(done).hasValue(Bulkhead.MAX_RUNNING + 1);
  }

  @Test
  void anErrorReleasesItsSlot() {
    Bulkhead bulkhead = new Bulkhead(Runnable::run);
    for (int i = 0; i < 2 * Bulkhead.MAX_RUNNING; i++) {
      assertThatThrownBy(
              () ->
                  bulkhead.execute(
                      () -> {
                        throw new OutOfMemoryError("injected");
                      }))
          .isInstanceOf(OutOfMemoryError.class);
    }
    AtomicInteger done = new AtomicInteger();

    bulkhead.execute(done::incrementAndGet);

    assertThat(done).hasValue(1);
  }

  /** Simulates a lack of memory for a thread while other threads run. */
  @Test
  void finishingThreadsRunQueuedTasksIfThePoolRejectsThem() {
    Deque<Runnable> known = new ArrayDeque<>();
    AtomicBoolean fails = new AtomicBoolean();
    Bulkhead bulkhead =
        new Bulkhead(
            task -> {
              if (fails.get()) {
                throw new OutOfMemoryError("injected");
              }
              known.add(task);
            });
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < Bulkhead.MAX_RUNNING + 20; i++) {
      bulkhead.execute(done::incrementAndGet);
    }
    fails.set(true);

    known.remove().run();

    assertThat(done).hasValue(21);
    while (!known.isEmpty()) {
      known.remove().run();
    }
    assertThat(done).hasValue(Bulkhead.MAX_RUNNING + 20);
  }
}
