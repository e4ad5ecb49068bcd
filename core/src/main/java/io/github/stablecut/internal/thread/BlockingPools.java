package io.github.stablecut.internal.thread;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Pools for tasks of which some wait for long. */
public final class BlockingPools {
  private static final int MAX_THREADS = 32_000;
  private static final long IDLE_SECONDS = 60;

  private BlockingPools() {}

  /**
   * A pool in which a waiting thread takes nobody's place: while one waits in {@link
   * ForkJoinPool#managedBlock}, as in {@link java.util.concurrent.CompletableFuture#join} and
   * wherever a store waits for a partition, another one executes tasks instead of it. Tasks are
   * begun in their order. Idle threads end.
   *
   * @param name of the threads, which are daemons, before their number
   * @param running how many execute tasks at once
   * @param waiting how many more may wait; beyond that, those that wait take the place of others
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
