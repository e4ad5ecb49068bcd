package io.github.stablecut.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of records that are not durable, and blocks callers while they exceed a limit.
 * Thread-safe.
 */
final class QueueBound {
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();
  private volatile int waiters;

  @GuardedBy("this")
  private boolean released;

  private final ForkJoinPool.ManagedBlocker belowLimit =
      new ForkJoinPool.ManagedBlocker() {
        @Override
        public boolean block() throws InterruptedException {
          awaitBelowLimit();
          return true;
        }

        @Override
        public boolean isReleasable() {
          return !isFull();
        }
      };

  QueueBound(long limit) {
    this.limit = limit;
  }

  void add(long added) {
    bytes.addAndGet(added);
  }

  void remove(long removed) {
    if (bytes.addAndGet(-removed) <= limit && waiters > 0) {
      wake();
    }
  }

  private synchronized void wake() {
    notifyAll();
  }

  /** Whether {@link #await} would not block. */
  boolean hasRoom() {
    return bytes.get() <= limit;
  }

  /** Blocks while the bytes exceed the limit, until {@link #release}. */
  void await() throws InterruptedException {
    if (!hasRoom()) {
      block();
    }
  }

  /** Lets a fork-join pool compensate for a blocked thread of its own. */
  private void block() throws InterruptedException {
    try {
      ForkJoinPool.managedBlock(belowLimit);
    } catch (RejectedExecutionException e) {
      // The pool has reached its maximum number of threads.
      awaitBelowLimit();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock, read without it
  private synchronized void awaitBelowLimit() throws InterruptedException {
    waiters++;
    try {
      while (isFull()) {
        wait();
      }
    } finally {
      waiters--;
    }
  }

  private synchronized boolean isFull() {
    return bytes.get() > limit && !released;
  }

  /** Stops blocking, now and later. */
  synchronized void release() {
    released = true;
    notifyAll();
  }
}
