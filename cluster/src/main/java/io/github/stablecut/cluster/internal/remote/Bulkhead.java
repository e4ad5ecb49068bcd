package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * One partition's share of a thread pool, so that requests that wait for one partition do not
 * occupy the threads that others need. Thread-safe.
 */
final class Bulkhead implements Executor {
  /** The most tasks that run at once, including blocked ones. */
  static final int MAX_RUNNING = 256;

  /** The most tasks that wait to run. */
  static final int MAX_QUEUED = 10_000;

  private final Executor threads;

  @GuardedBy("this")
  private final Deque<Runnable> queue = new ArrayDeque<>();

  @GuardedBy("this")
  private int running;

  Bulkhead(Executor threads) {
    this.threads = threads;
  }

  /**
   * Runs a task, in order of arrival.
   *
   * @throws RejectedExecutionException if too many tasks wait, or the pool is shut down
   */
  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (running == MAX_RUNNING) {
        if (queue.size() == MAX_QUEUED) {
          throw new RejectedExecutionException("%,d tasks wait already".formatted(MAX_QUEUED));
        }
        queue.add(task);
        return;
      }
      running++;
    }
    begin(task);
  }

  private void begin(Runnable task) {
    try {
      threads.execute(
          () -> {
            try {
              task.run();
            } finally {
              next();
            }
          });
    } catch (RejectedExecutionException e) {
      synchronized (this) {
        running--;
      }
      throw e;
    }
  }

  private void next() {
    Runnable next;
    synchronized (this) {
      if (queue.isEmpty()) {
        running--;
        return;
      }
      next = queue.remove();
    }
    begin(next);
  }
}
