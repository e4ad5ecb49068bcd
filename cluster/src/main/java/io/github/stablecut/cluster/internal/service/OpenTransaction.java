package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Transaction;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** An interactive transaction of clients; one request at a time executes in it. Thread-safe. */
final class OpenTransaction {
  private final Client client;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Transaction transaction;

  @GuardedBy("lock")
  private long usedNanos;

  OpenTransaction(Client client, Transaction transaction, long nowNanos) {
    this.client = client;
    this.transaction = transaction;
    this.usedNanos = nowNanos;
  }

  /** The connection that began it. */
  Client client() {
    return client;
  }

  /**
   * Does something in the transaction.
   *
   * @param clock a clock that runs evenly; when the action ends, the transaction was last used
   */
  <T> T use(NanoClock clock, Function<Transaction, T> action) {
    lockManaged();
    try {
      try {
        return action.apply(transaction);
      } finally {
        usedNanos = clock.nanos();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether nobody has used it for so long. Doesn't wait for who does. */
  boolean isIdle(long nowNanos, long idleNanos) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return nowNanos - usedNanos > idleNanos;
    } finally {
      lock.unlock();
    }
  }

  /** Takes the lock; a thread of a pool that waits for it lets another one take its place. */
  private void lockManaged() {
    if (lock.tryLock()) {
      return;
    }
    try {
      ForkJoinPool.managedBlock(
          new ForkJoinPool.ManagedBlocker() {
            @Override
            public boolean block() {
              if (!lock.isHeldByCurrentThread()) {
                lock.lock();
              }
              return true;
            }

            @Override
            public boolean isReleasable() {
              return lock.isHeldByCurrentThread() || lock.tryLock();
            }
          });
    } catch (InterruptedException e) {
      throw new AssertionError("a lock is waited for without interruption", e);
    }
  }

  /** Aborts it if it has not ended. */
  void close() {
    lockManaged();
    try {
      transaction.close();
    } finally {
      lock.unlock();
    }
  }
}
