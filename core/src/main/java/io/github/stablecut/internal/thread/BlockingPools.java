package io.github.stablecut.internal.thread;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates thread pools for tasks that may block for a long time. */
public final class BlockingPools {
  private static final int MAX_THREADS = 32_000;
  private static final long IDLE_SECONDS = 60;

  private BlockingPools() {}

  /**
   * Creates a pool that compensates for blocked threads. While a thread waits in {@link
   * ForkJoinPool#managedBlock}, as in {@link java.util.concurrent.CompletableFuture#join} and
   * wherever a store waits for a partition, another thread executes tasks. Tasks start in FIFO
   * order. Idle threads end.
   *
   * @param name the prefix of the threads' names; the threads are daemons
   * @param running the number of threads that execute tasks
   * @param waiting the number of blocked threads that are compensated for; further ones reduce the
   *     running threads
   */
  public static ForkJoinPool pool(String name, int running, int waiting) {
    AtomicInteger count = new AtomicInteger();
    return new ForkJoinPool(
        running,
        pool -> {
          ForkJoinWorkerThread thread =
              ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
          thread.setName(name + count.incrementAndGet());
          return thread;
        },
        null,
        true,
        0,
        Math.min(MAX_THREADS, running + waiting),
        running,
        pool -> true,
        IDLE_SECONDS,
        TimeUnit.SECONDS);
  }
}
