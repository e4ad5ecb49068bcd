package io.github.stablecut.internal.thread;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Threads that a part of a store starts and joins. */
public final class Threads {
  private Threads() {}

  /** A thread that is not started, and that does not keep the process alive. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Does something with files on a thread of its own, and waits for it: the files of a thread that
   * is interrupted are closed under it. An interrupt ends nothing; its flag stays set.
   *
   * @return what the work has returned
   * @throws RuntimeException what the work has thrown
   */
  public static <T> T callApart(String name, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread thread = daemon(name, task);
    thread.start();
    return result(task);
  }

  /** As {@link #callApart}, for work without a result. */
  public static void runApart(String name, Runnable work) {
    FutureTask<Boolean> task = new FutureTask<>(work, true);
    daemon(name, task).start();
    boolean isDone = result(task);
    assert isDone : "the task of thread " + name + " has no result";
  }

  /**
   * Waits until a task has ended, whoever executes it. An interrupt does not end the wait; its flag
   * stays set.
   *
   * @return what the task has returned
   * @throws RuntimeException what the task has thrown
   */
  public static <T> T result(FutureTask<T> task) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("the task has thrown a checked exception", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for a thread's end. An interrupt does not end the wait; its flag stays set. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
