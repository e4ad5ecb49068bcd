package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

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
  private final int maxRunning;
  private final int maxQueued;

  @GuardedBy("this")
  private final Deque<Task> queue = new ArrayDeque<>();

  @GuardedBy("this")
  private int running;

  /** A task that is run at most once. */
  private final class Task implements Runnable {
    private final Runnable work;
    private final AtomicBoolean isDecided = new AtomicBoolean();

    Task(Runnable work) {
      this.work = work;
    }

    /**
     * Returns whether this is the first call. The first caller decides what happens to the task.
     */
    boolean decide() {
      return isDecided.compareAndSet(false, true);
    }

    @Override
    public void run() {
      if (decide()) {
        try {
          work.run();
        } finally {
          next();
        }
      }
    }
  }

  Bulkhead(Executor threads) {
    this(threads, MAX_RUNNING, MAX_QUEUED);
  }

  /**
   * @param maxRunning the most tasks that run at once
   * @param maxQueued the most tasks that wait to run
   */
  Bulkhead(Executor threads, int maxRunning, int maxQueued) {
    this.threads = threads;
    this.maxRunning = maxRunning;
    this.maxQueued = maxQueued;
  }

  /**
   * Runs a task, in order of arrival.
   *
   * @throws RejectedExecutionException if too many tasks wait, or the pool is shut down
   */
  @Override
  public void execute(Runnable work) {
    Task task = new Task(work);
    synchronized (this) {
      if (running == maxRunning) {
        if (queue.size() == maxQueued) {
          throw new RejectedExecutionException("%,d tasks wait already".formatted(maxQueued));
        }
        queue.add(task);
        return;
      }
      running++;
    }
    begin(task);
  }

  /** Hands a task to the pool. If that fails, the task does not run and its slot is free. */
  private void begin(Task task) {
    try {
      threads.execute(task);
    } catch (RuntimeException | Error e) {
      // After an error, the pool may or may not have accepted the task.
      if (task.decide()) {
        synchronized (this) {
          running--;
        }
      }
      throw e;
    }
  }

  /** Submits the next queued task to the pool; if the pool rejects it, this pool thread runs it. */
  private void next() {
    Task next;
    synchronized (this) {
      if (queue.isEmpty()) {
        running--;
        return;
      }
      next = queue.remove();
    }
    try {
      threads.execute(next);
    } catch (RuntimeException | Error e) {
      next.run();
    }
  }
}
