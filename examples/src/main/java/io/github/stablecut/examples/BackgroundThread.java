package io.github.stablecut.examples;

import io.github.stablecut.error.StoreClosedException;

/**
 * A daemon thread that works on a store until the thread or the store is closed. Closing interrupts
 * the thread and waits for its end. Thread-safe.
 */
public final class BackgroundThread implements AutoCloseable {
  private final Thread thread;

  /** The work of a background thread. */
  @FunctionalInterface
  public interface Work {
    /**
     * Works until interrupted.
     *
     * @throws InterruptedException when interrupted
     * @throws StoreClosedException if the store is closed
     */
    void run() throws InterruptedException;
  }

  private BackgroundThread(String name, Work work) {
    this.thread = new Thread(() -> run(work), name);
  }

  /** Starts a thread. */
  public static BackgroundThread start(String name, Work work) {
    BackgroundThread started = new BackgroundThread(name, work);
    started.thread.setDaemon(true);
    started.thread.start();
    return started;
  }

  private static void run(Work work) {
    try {
      work.run();
    } catch (InterruptedException | StoreClosedException e) {
      // The thread or the store was closed.
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
