package io.github.stablecut.cluster;

import java.util.Collection;

/** The end of a load's threads. */
final class Joining {
  private Joining() {}

  /** Waits until all have ended, or the caller is interrupted, whose flag stays set. */
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
