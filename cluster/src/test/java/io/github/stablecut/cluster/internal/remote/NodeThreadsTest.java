package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The node's actor can always hand over messages, whatever their number. */
class NodeThreadsTest {
  private static final int MANY = 20_000;

  @Test
  void queuesRepliesWhileTheirThreadsAreBusy() throws Exception {
    NodeThreads threads = NodeThreads.start();
    CountDownLatch busy = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    int cores = Math.max(2, Runtime.getRuntime().availableProcessors());
    for (int i = 0; i < cores; i++) {
      threads.replies().execute(() -> awaitQuietly(busy));
    }

    for (int i = 0; i < MANY; i++) {
      threads.replies().execute(done::incrementAndGet);
    }
    busy.countDown();
    assertThat(threads.close(Duration.ofMinutes(1))).isTrue();
    while (!threads.replies().isTerminated()) {
      Thread.onSpinWait();
    }

    assertThat(done).hasValue(MANY);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
