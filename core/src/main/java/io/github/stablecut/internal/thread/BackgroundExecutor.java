package io.github.stablecut.internal.thread;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * An executor for deferrable or optional tasks, with one thread that exists while there are tasks.
 * It never blocks callers. Before {@link #start} tasks run on the caller's thread; after {@link
 * #close} they are dropped. Thread-safe.
 */
public final class BackgroundExecutor implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final String name;
  private final FaultLog faults;
  private final ThreadPoolExecutor pool;
  private volatile boolean started;

  /**
   * @param name the thread's name
   */
  public BackgroundExecutor(String name, FaultLog faults) {
    this.name = name;
    this.faults = faults;
    this.pool =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> Threads.daemon(name, task),
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
  }

  /** Makes later tasks run on the executor's thread. */
  public void start() {
    started = true;
  }

  /** Queues a task; if that fails, records the fault and rethrows it. */
  @Override
  public void execute(Runnable task) {
    if (!started) {
      run(task);
      return;
    }
    try {
      pool.execute(() -> run(task));
    } catch (RuntimeException | Error e) {
      // There is no memory or no thread.
      faults.add("thread " + name, e);
      throw e;
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      faults.add("thread " + name, e);
    }
  }

  /** Drops queued tasks and ends the thread after the current one. */
  @Override
  public void close() {
    pool.shutdownNow();
  }
}
