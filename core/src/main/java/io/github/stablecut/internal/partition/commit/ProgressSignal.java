package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A condition variable for changes of a partition: threads wait here until a condition holds.
 * Signalling is cheap while no thread waits. Thread-safe.
 */
public final class ProgressSignal {
  private final AtomicInteger waiting = new AtomicInteger();
  private final Object monitor = new Object();

  /** The number of changes while threads waited. */
  @GuardedBy("monitor")
  private long changes;

  /** Wakes the waiting threads to check their conditions. Called after the change is visible. */
  public void changed() {
    if (waiting.get() > 0) {
      synchronized (monitor) {
        changes++;
        monitor.notifyAll();
      }
    }
  }

  private long changes() {
    synchronized (monitor) {
      return changes;
    }
  }

  /**
   * Like {@link #await(BooleanSupplier, BooleanSupplier, long)}, for a condition that may always
   * come true.
   */
  @CanIgnoreReturnValue
  boolean await(BooleanSupplier condition, long nanos) {
    return await(condition, () -> false, nanos);
  }

  /**
   * Waits until a condition holds. Ignores interrupts and keeps the interrupt flag.
   *
   * @param isHopeless whether the condition can no longer come true
   * @param nanos the longest wait
   * @return whether the condition held at some moment of this call; it is not checked again, as it
   *     may no longer hold
   */
  boolean await(BooleanSupplier condition, BooleanSupplier isHopeless, long nanos) {
    if (condition.getAsBoolean()) {
      return true;
    }
    Wait wait = new Wait(condition, isHopeless, System.nanoTime() + nanos);
    // Counted first, then checked: either the change is seen here, or its thread sees the count.
    waiting.incrementAndGet();
    try {
      // A ForkJoinPool compensates for the blocked thread.
      ManagedBlocking.block(wait);
    } catch (InterruptedException e) {
      throw new AssertionError("an interrupt does not end the wait", e);
    } finally {
      waiting.decrementAndGet();
      if (wait.interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return wait.held;
  }

  /** The wait of one thread, confined to it. */
  private final class Wait implements ForkJoinPool.ManagedBlocker {
    private final BooleanSupplier condition;
    private final BooleanSupplier isHopeless;
    private final long deadlineNanos;
    private boolean isOver;
    private boolean held;
    private boolean interrupted;

    Wait(BooleanSupplier condition, BooleanSupplier isHopeless, long deadlineNanos) {
      this.condition = condition;
      this.isHopeless = isHopeless;
      this.deadlineNanos = deadlineNanos;
    }

    /** False until the wait is over: {@link #block} misses no change. */
    @Override
    public boolean isReleasable() {
      return isOver;
    }

    @Override
    public boolean block() {
      held = holds();
      isOver = true;
      return true;
    }

    /**
     * Checks the condition without the monitor: it may wait for the commit lock or the journal,
     * whose threads call {@link #changed}.
     */
    private boolean holds() {
      while (true) {
        // Read first: a change during the check ends the sleep after it.
        long seen = changes();
        if (condition.getAsBoolean()) {
          return true;
        }
        if (isHopeless.getAsBoolean() || !sleep(seen)) {
          return false;
        }
      }
    }

    /** Sleeps until something changes; false after the deadlineNanos. */
    private boolean sleep(long seen) {
      synchronized (monitor) {
        while (changes == seen) {
          long left = deadlineNanos - System.nanoTime();
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
    }
  }
}
