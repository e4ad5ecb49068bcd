package io.github.stablecut.cluster.internal.service;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The threads that execute requests and may block, and one that does what is due. After the end
 * what is handed over runs on the caller's thread, so that nobody waits for ever. Thread-safe.
 */
public final class Workers implements Executor, AutoCloseable {
  private final ThreadPoolExecutor pool;
  private final ScheduledExecutorService timer;

  /** Starts threads called {@code stablecut-work-…} when they are needed. */
  public Workers(int threads) {
    this.pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            named("stablecut-work-"),
            (task, full) -> task.run());
    pool.allowCoreThreadTimeOut(true);
    this.timer = Executors.newSingleThreadScheduledExecutor(named("stablecut-timer-"));
  }

  private static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Does something again and again, on the thread for what is due. */
  public void repeat(Runnable task, Duration interval) {
    long millis = Math.max(1, interval.toMillis());
    var unused = timer.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Makes something; if that fails, the threads end. */
  public <T> T closeIfFailing(Supplier<T> make) {
    try {
      return make.get();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Ends the threads once they have done what was handed over. */
  @Override
  public void close() {
    var unused = timer.shutdownNow();
    pool.shutdown();
  }
}
