package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Blocks callers while too many bytes are queued. */
final class QueueBoundTest {
  @Test
  void aThreadWaitsEvenIfItsPoolCanNotCompensate() throws Exception {
    ForkJoinPool pool =
        new ForkJoinPool(
            1,
            ForkJoinPool.defaultForkJoinWorkerThreadFactory,
            null,
            false,
            1,
            1,
            1,
            null,
            1,
            TimeUnit.MINUTES);
    QueueBound bound = new QueueBound(1);
    bound.add(2);
    CountDownLatch begun = new CountDownLatch(1);
    var waiting =
        pool.submit(
            () -> {
              begun.countDown();
              bound.await();
              return true;
            });
    begun.await();
    Thread.sleep(10);
    bound.remove(2);

    assertThat(waiting.get(1, TimeUnit.MINUTES)).isTrue();
    pool.shutdownNow();
  }
}
