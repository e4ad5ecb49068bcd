package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.internal.thread.BlockingPools;
import io.github.stablecut.log.Log;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * The threads that execute requests and may wait, and one that does what is due. While one waits
 * for a partition, another takes its place ({@link BlockingPools}). After the end what is handed
 * over runs on the caller's thread, so that nobody waits for ever. Thread-safe.
 */
public final class Workers implements Executor, AutoCloseable {
  private static final Logger LOG = Log.of(Workers.class);

  private final ForkJoinPool pool;
  private final ScheduledExecutorService timer;

  /**
   * Starts threads called {@code stablecut-work-…} when they are needed.
   *
   * @param threads how many execute requests at once
   * @param waiting how many more may wait: as many as there can be connections, each of which has
   *     one request executed at a time
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

  /** Does something again and again, whether or not it fails, on the thread for what is due. */
  public void repeat(Runnable task, Duration interval) {
    long millis = Math.max(1, interval.toMillis());
    var unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException | Error e) {
                LOG.error("what is done every {} has failed, and is done again", interval, e);
              }
            },
            millis,
            millis,
            TimeUnit.MILLISECONDS);
  }

  /** Ends the threads once they have done what was handed over. */
  @Override
  public void close() {
    var unused = timer.shutdownNow();
    pool.shutdown();
  }
}
