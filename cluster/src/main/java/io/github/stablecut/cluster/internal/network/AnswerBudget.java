package io.github.stablecut.cluster.internal.network;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of answers that clients have not taken yet. Small answers always get their memory, as
 * the number of connections is limited; large ones only while some is available. Thread-safe.
 */
final class AnswerBudget {
  /** Maximum number of waiting answers: each occupies a thread that executes requests. */
  private static final int MAX_WAITING = 2;

  private final long limit;
  private final Duration timeout;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * @param timeout how long a large answer waits for memory
   */
  AnswerBudget(long limit, Duration timeout) {
    this.limit = limit;
    this.timeout = timeout;
  }

  /**
   * Like {@link #takeNow}, but waits for memory; at most two answers wait at a time. An interrupt
   * ends the wait; its flag stays set.
   *
   * @return whether the memory was reserved
   */
  boolean take(long bytes) {
    if (takeNow(bytes)) {
      return true;
    }
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    boolean mayWait = waiting.incrementAndGet() <= MAX_WAITING;
    synchronized (this) {
      try {
        if (!mayWait) {
          return false;
        }
        while (!takeNow(bytes)) {
          long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
          if (leftMillis <= 0) {
            return false;
          }
          wait(leftMillis);
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
   * Reserves the memory of an answer if the answer is small, the memory is available, or no other
   * answer has any.
   *
   * @return whether the memory was reserved
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
