package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Per-object locks for conditional writes. Conditions are application code, which may block on
 * other threads, so every wait has a timeout. Thread-safe.
 */
public final class ObjectLocks {
  private static final int STRIPES = 256;

  private final Duration timeout;
  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  /**
   * @param timeout the longest wait
   */
  public ObjectLocks(Duration timeout) {
    this.timeout = timeout;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantLock();
    }
  }

  /** The locks that a thread holds. */
  @FunctionalInterface
  interface Turn {
    /** Releases the locks; called by the thread that took them. */
    void end();
  }

  /**
   * Locks objects. Ignores interrupts and keeps the interrupt flag.
   *
   * @throws TransactionTimeoutException if the locks are not free in time
   */
  Turn take(Collection<Bytes> ids) {
    TreeSet<Integer> indexes = new TreeSet<>();
    ids.forEach(id -> indexes.add(Math.floorMod(id.hashCode(), STRIPES)));
    Deque<ReentrantLock> taken = new ArrayDeque<>(indexes.size());
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    for (int index : indexes) {
      ReentrantLock stripe = stripes[index];
      if (!stripe.tryLock() && !ManagedBlocking.during(() -> tryLock(stripe, deadlineNanos))) {
        taken.forEach(ReentrantLock::unlock);
        throw new TransactionTimeoutException(
            "other conditional writes of %s, whose conditions may take long, did not end within %s: nothing was changed, try again"
                .formatted(Key.namesOf(ids), DurationWords.of(timeout)));
      }
      taken.push(stripe);
    }
    return () -> taken.forEach(ReentrantLock::unlock);
  }

  private static boolean tryLock(ReentrantLock stripe, long deadlineNanos) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return stripe.tryLock(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
