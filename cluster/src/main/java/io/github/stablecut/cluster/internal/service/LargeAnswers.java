package io.github.stablecut.cluster.internal.service;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds how many large answers are made at the same time, as each may take an eighth of the heap
 * until it is handed over to be sent. Thread-safe.
 */
final class LargeAnswers {
  /** So many at a time: while one is copied, another is read. */
  private static final int AT_A_TIME = 2;

  private final Semaphore free = new Semaphore(AT_A_TIME, true);
  private final Duration patience;

  /**
   * @param patience how long somebody waits for a turn
   */
  LargeAnswers(Duration patience) {
    this.patience = patience;
  }

  /**
   * Waits for a turn. The waiting thread is one of those that execute requests, and no other is
   * started instead: each has read its object already.
   *
   * @throws BusyException if there is none in time
   */
  void begin() {
    boolean isFree = false;
    try {
      isFree = free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!isFree) {
      throw new BusyException(
          "%d other large answers have been made for %d s: try again, ask for parts of objects, or give the server more heap (-Xmx) and processors"
              .formatted(AT_A_TIME, patience.toSeconds()));
    }
  }

  /** Ends a turn. */
  void end() {
    free.release();
  }
}
