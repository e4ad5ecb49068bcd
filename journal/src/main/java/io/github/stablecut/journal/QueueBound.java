package io.github.stablecut.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of records that are not durable and holds back who would add to too many.
 * Thread-safe.
 */
final class QueueBound {
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();
  private volatile int waiters;

  @GuardedBy("this")
  private boolean released;

  private final ForkJoinPool.ManagedBlocker room =
      new ForkJoinPool.ManagedBlocker() {
        @Override
        public boolean block() throws InterruptedException {
          awaitSlowly();
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

  /** Blocks while more bytes than the limit are there, until {@link #release}. */
  void await() throws InterruptedException {
    if (!hasRoom()) {
      block();
    }
  }

  /** A thread of a pool lets another one take its place, if there is one. */
  private void block() throws InterruptedException {
    try {
      ForkJoinPool.managedBlock(room);
    } catch (RejectedExecutionException e) {
      // The pool has as many threads as it may.
      awaitSlowly();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock, read without it
  private synchronized void awaitSlowly() throws InterruptedException {
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

  /** Lets everybody through from now on. */
  synchronized void release() {
    released = true;
    notifyAll();
  }
}
