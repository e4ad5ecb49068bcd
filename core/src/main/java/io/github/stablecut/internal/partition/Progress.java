package io.github.stablecut.internal.partition;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Where threads wait until something about a partition changes. Telling costs nothing while nobody
 * waits. Thread-safe.
 */
final class Progress {
  private final AtomicInteger waiting = new AtomicInteger();
  private final Object monitor = new Object();

  /** Has those who wait look again. After what changed is visible. */
  void changed() {
    if (waiting.get() > 0) {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    }
  }

  /**
   * Waits until a condition holds. An interrupt does not end the wait; its flag stays set.
   *
   * @param nanos how long at most
   * @return whether it holds
   */
  boolean await(BooleanSupplier condition, long nanos) {
    if (condition.getAsBoolean()) {
      return true;
    }
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    // First counted, then looked: who changes something either is seen here or sees the count.
    waiting.incrementAndGet();
    try {
      synchronized (monitor) {
        while (!condition.getAsBoolean()) {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          try {
            monitor.wait(left / 1_000_000, (int) (left % 1_000_000));
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
        return true;
      }
    } finally {
      waiting.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
