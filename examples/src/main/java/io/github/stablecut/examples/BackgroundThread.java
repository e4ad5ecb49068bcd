package io.github.stablecut.examples;

import io.github.stablecut.error.StoreClosedException;

/**
 * A daemon thread that works on a store until it is closed, or the store is. Closing interrupts it,
 * and waits for its end. Thread-safe.
 */
public final class BackgroundThread implements AutoCloseable {
  private final Thread thread;

  /** What such a thread does. */
  @FunctionalInterface
  public interface Work {
    /**
     * Works until it is interrupted.
     *
     * @throws InterruptedException if it is
     * @throws StoreClosedException if the store is closed
     */
    void run() throws InterruptedException;
  }

  private BackgroundThread(String name, Work work) {
    this.thread = new Thread(() -> run(work), name);
  }

  /** Starts one. */
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
      // It is over.
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
