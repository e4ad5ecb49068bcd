package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Waiting threads don't block others, and errors end no thread. */
class WorkersTest {
  @Test
  void waitingTasksLeaveThreadsForOthers() throws Exception {
    try (Workers workers = new Workers(1, 32)) {
      CompletableFuture<String> answer = new CompletableFuture<>();
      CountDownLatch answered = new CountDownLatch(32);
      for (int i = 0; i < 32; i++) {
        workers.execute(
            () -> {
              if (answer.join().equals("here")) {
                answered.countDown();
              }
            });
      }

      CountDownLatch done = new CountDownLatch(1);
      workers.execute(done::countDown);

      done.await();
      assertThat(answered.getCount()).isEqualTo(32);
      answer.complete("here");
      answered.await();
    }
  }

  @Test
  void theConfiguredNumberOfTasksRunsConcurrently() throws Exception {
    try (Workers workers = new Workers(2, 32)) {
      CyclicBarrier both = new CyclicBarrier(3);
      for (int i = 0; i < 2; i++) {
        workers.execute(() -> await(both));
      }
      await(both);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anErrorEndsNeitherThreadsNorRepeatedTasks() throws Exception {
    try (Workers workers = new Workers(1, 1)) {
      CountDownLatch repeated = new CountDownLatch(3);
      workers.repeat(
          "a test's task",
          Duration.ofMillis(1),
          () -> {
            repeated.countDown();
            throw new OutOfMemoryError("injected");
          });
      workers.execute(
          () -> {
            throw new OutOfMemoryError("injected");
          });
      CountDownLatch done = new CountDownLatch(1);
      workers.execute(done::countDown);

      done.await();
      repeated.await();
    }
  }

  @Test
  void afterCloseTheCallerExecutesTasks() {
    Workers workers = new Workers(1, 1);
    workers.close();
    Thread[] by = new Thread[1];

    workers.execute(() -> by[0] = Thread.currentThread());

    assertThat(by[0]).isEqualTo(Thread.currentThread());
  }
}
