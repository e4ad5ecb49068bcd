package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Creates and joins threads. */
public final class Threads {
  private Threads() {}

  /** Creates a daemon thread without starting it. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Runs work with files on a separate thread and waits for it, because an interrupt of a thread
   * closes the channels that it uses. An interrupt of the caller ends neither the work nor the
   * wait; its flag stays set.
   *
   * @return the work's result
   * @throws RuntimeException the exception of the work
   */
  public static <T> T callApart(String name, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread thread = daemon(name, task);
    thread.start();
    return result(task);
  }

  /** Like {@link #callApart}, for work without a result. */
  public static void runApart(String name, Runnable work) {
    FutureTask<Boolean> task = new FutureTask<>(work, true);
    daemon(name, task).start();
    boolean isDone = result(task);
    assert isDone : "the task of thread " + name + " has no result";
  }

  /**
   * Waits until a task has ended, on whichever thread. An interrupt does not end the wait; its flag
   * stays set.
   *
   * @return the task's result
   * @throws RuntimeException the exception of the task
   */
  @CanIgnoreReturnValue
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
      throw new IllegalStateException("the task threw a checked exception", e);
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
