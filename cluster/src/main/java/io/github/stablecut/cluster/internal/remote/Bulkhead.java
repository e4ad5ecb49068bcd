package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * One partition's share of a pool of threads, so that a partition for which everybody waits keeps
 * nobody from the others. Thread-safe.
 */
final class Bulkhead implements Executor {
  /** So many tasks are begun and not done at once, those that wait among them. */
  static final int MAX_RUNNING = 256;

  /** So many tasks are not begun. */
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
   * Has a task done, in its turn.
   *
   * @throws RejectedExecutionException if too many are not begun, or the pool has ended
   */
  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (running == MAX_RUNNING) {
        if (queue.size() == MAX_QUEUED) {
          throw new RejectedExecutionException("%,d tasks are not begun".formatted(MAX_QUEUED));
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
