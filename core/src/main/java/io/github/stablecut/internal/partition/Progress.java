package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.thread.ManagedWaits;
import java.util.concurrent.ForkJoinPool;
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

  /** As {@link #await(BooleanSupplier, BooleanSupplier, long)}, of what never is hopeless. */
  boolean await(BooleanSupplier condition, long nanos) {
    return await(condition, () -> false, nanos);
  }

  /**
   * Waits until a condition holds. An interrupt does not end the wait; its flag stays set.
   *
   * @param isHopeless whether there is nothing to wait for any more
   * @param nanos how long at most
   * @return whether it held at a moment within this call; it is not looked at again, because it may
   *     not hold any more
   */
  boolean await(BooleanSupplier condition, BooleanSupplier isHopeless, long nanos) {
    if (condition.getAsBoolean()) {
      return true;
    }
    Wait wait = new Wait(condition, isHopeless, System.nanoTime() + nanos);
    // First counted, then looked: who changes something either is seen here or sees the count.
    waiting.incrementAndGet();
    try {
      // A thread of a pool lets another one take its place.
      ManagedWaits.block(wait);
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

  /** One thread's wait. Confined to that. */
  private final class Wait implements ForkJoinPool.ManagedBlocker {
    private final BooleanSupplier condition;
    private final BooleanSupplier isHopeless;
    private final long deadline;
    private boolean isOver;
    private boolean held;
    private boolean interrupted;

    Wait(BooleanSupplier condition, BooleanSupplier isHopeless, long deadline) {
      this.condition = condition;
      this.isHopeless = isHopeless;
      this.deadline = deadline;
    }

    /** Looks at nothing: what is looked at under the monitor is not missed. */
    @Override
    public boolean isReleasable() {
      return isOver;
    }

    @Override
    public boolean block() {
      synchronized (monitor) {
        held = holds();
      }
      isOver = true;
      return true;
    }

    private boolean holds() {
      while (!condition.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || isHopeless.getAsBoolean()) {
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
