package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.internal.thread.BlockingPools;
import io.github.stablecut.internal.thread.FireAndForget;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads that execute requests, and a timer thread. While a thread waits for a partition, the
 * pool starts another ({@link BlockingPools}). After closing, tasks run on the caller's thread, so
 * that no client waits forever. Thread-safe.
 */
public final class Workers implements Executor, AutoCloseable {
  private final ForkJoinPool pool;
  private final ScheduledExecutorService timer;

  /**
   * Starts threads named {@code stablecut-work-…} on demand.
   *
   * @param threads how many execute requests concurrently
   * @param waiting how many more may wait: the maximum number of connections, each of which
   *     executes one request at a time
   */
  public Workers(int threads, int waiting) {
    this.pool = BlockingPools.pool("stablecut-work-", threads, waiting);
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "stablecut-timer");
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void execute(Runnable task) {
    try {
      pool.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /**
   * Repeats a task on the timer thread, even after failures.
   *
   * @param name the task in words, for its failures
   */
  public void repeat(String name, Duration interval, Runnable task) {
    long millis = Math.max(1, interval.toMillis());
    FireAndForget.repeat(timer, millis, name, task);
  }

  /** Ends the timer at once, and the other threads after their submitted tasks. */
  @Override
  public void close() {
    timer.shutdownNow();
    pool.shutdown();
  }
}
