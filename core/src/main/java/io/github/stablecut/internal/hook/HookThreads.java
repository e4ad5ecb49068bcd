package io.github.stablecut.internal.hook;

import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates and stops the executors that hooks run on; idle executors have no threads. */
final class HookThreads {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private HookThreads() {}

  /**
   * @param name the prefix of the threads' names
   */
  static ThreadPoolExecutor start(String name, int threads, BlockingQueue<Runnable> queue) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            queue,
            task -> Threads.daemon(name + "-" + count.incrementAndGet(), task));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * Interrupts running hooks and starts no others. A hook that closes the store continues without
   * an interrupt.
   */
  static void stop(ThreadPoolExecutor executor) {
    boolean interrupted = Thread.interrupted();
    for (Runnable waiting : executor.shutdownNow()) {
      if (waiting instanceof Future<?> future) {
        // Releases the caller that waits for it.
        future.cancel(false);
      }
    }
    Thread.interrupted();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
