package io.github.stablecut.internal.thread;

/** Threads that a part of a store starts and joins. */
public final class Threads {
  private Threads() {}

  /** A thread that is not started, and that does not keep the process alive. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
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
