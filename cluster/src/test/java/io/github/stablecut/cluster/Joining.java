package io.github.stablecut.cluster;

import java.util.Collection;

/** Joins the threads of a load. */
final class Joining {
  private Joining() {}

  /**
   * Waits until all threads have ended or the caller is interrupted, whose interrupt flag stays
   * set.
   */
  static void all(Collection<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
