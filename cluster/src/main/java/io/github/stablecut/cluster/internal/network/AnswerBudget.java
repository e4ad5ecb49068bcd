package io.github.stablecut.cluster.internal.network;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that answers take together that clients have not taken yet. Small ones always get what
 * they need, as there are only so many connections; large ones only while there is room.
 * Thread-safe.
 */
final class AnswerBudget {
  /** No more wait at a time: they keep threads that execute requests. */
  private static final int MOST_WAITING = 2;

  private final long limit;
  private final Duration patience;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * @param patience how long a large answer waits for room
   */
  AnswerBudget(long limit, Duration patience) {
    this.limit = limit;
    this.patience = patience;
  }

  /**
   * As {@link #takeNow}; so that few are refused, two at a time wait a while for room. An interrupt
   * ends the wait; its flag stays set.
   *
   * @return whether it was taken
   */
  boolean take(long bytes) {
    if (takeNow(bytes)) {
      return true;
    }
    long deadline = System.nanoTime() + patience.toNanos();
    boolean mayWait = waiting.incrementAndGet() <= MOST_WAITING;
    synchronized (this) {
      try {
        if (!mayWait) {
          return false;
        }
        while (!takeNow(bytes)) {
          long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
          if (left <= 0) {
            return false;
          }
          wait(left);
        }
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } finally {
        waiting.decrementAndGet();
      }
    }
  }

  /**
   * Takes the memory for an answer, if it is small or there is room, or nobody else has any.
   *
   * @return whether it was taken
   */
  boolean takeNow(long bytes) {
    long after = taken.addAndGet(bytes);
    if (bytes <= FrameDecoder.SMALL_BYTES || after <= limit || after == bytes) {
      return true;
    }
    taken.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
    if (waiting.get() > 0) {
      synchronized (this) {
        notifyAll();
      }
    }
  }
}
