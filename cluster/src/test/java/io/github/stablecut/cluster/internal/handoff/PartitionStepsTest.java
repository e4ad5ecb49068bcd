package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The steps of a partition's moves run in order, and no partition waits for another. */
class PartitionStepsTest {
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final PartitionSteps steps = new PartitionSteps(threads);

  @AfterEach
  void stop() {
    threads.shutdown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void partitionsDoNotWaitForEachOther() throws InterruptedException {
    CountDownLatch checkpoint = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    CountDownLatch behind = new CountDownLatch(1);
    steps.execute(1, () -> await(checkpoint));
    steps.execute(1, behind::countDown);

    steps.execute(2, other::countDown);

    other.await();
    assertThat(behind.getCount()).isEqualTo(1);
    checkpoint.countDown();
    behind.await();
  }

  @Test
  void stepsOfOnePartitionRunSequentiallyInOrder() throws InterruptedException {
    List<Integer> order = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    for (int i = 0; i < 1_000; i++) {
      int number = i;
      steps.execute(1, () -> order.add(number));
    }
    steps.execute(1, done::countDown);

    done.await();
    assertThat(order).hasSize(1_000).isSorted();
  }

  @Test
  void anErrorInAStepDoesNotBlockOtherSteps() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch queued = new CountDownLatch(1);
    steps.execute(
        1,
        () -> {
          await(queued);
          throw new StackOverflowError("for a test");
        });
    steps.execute(1, done::countDown);
    queued.countDown();

    done.await();
  }

  @Test
  void refusesStepsThatTheExecutorRejects() {
    threads.shutdown();

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> steps.execute(1, () -> {}))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }
}
