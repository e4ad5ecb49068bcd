package io.github.stablecut.internal.hook;

import io.github.stablecut.internal.thread.Threads;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the executors that hooks run on: so many threads at most, none while nothing runs. */
final class HookThreads {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private HookThreads() {}

  /**
   * @param name what the threads are called before their number
   */
  static ThreadPoolExecutor start(String name, int threads, BlockingQueue<Runnable> queue) {
    AtomicInteger made = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            queue,
            task -> Threads.daemon(name + "-" + made.incrementAndGet(), task));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * Interrupts what runs, and begins nothing any more. A hook that closes the store goes on
   * uninterrupted.
   */
  static void stop(ThreadPoolExecutor executor) {
    boolean interrupted = Thread.interrupted();
    for (Runnable waiting : executor.shutdownNow()) {
      if (waiting instanceof Future<?> future) {
        // Somebody waits for its end.
        boolean unused = future.cancel(false);
      }
    }
    boolean unusedOwn = Thread.interrupted();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
