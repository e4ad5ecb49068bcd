package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Transaction;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/** An interactive transaction, in which one request at a time executes. Thread-safe. */
public final class OpenTransaction {
  private final HandleQuota.Permit permit;

  /** The connection that used it last. */
  private volatile Client user;

  private final ReentrantLock lock = new ReentrantLock();

  /** The transaction and its nested transactions, each nested in the one before. */
  @GuardedBy("lock")
  private final List<Transaction> open = new ArrayList<>(1);

  @GuardedBy("lock")
  private long usedNanos;

  /**
   * @param client the connection that begins it
   * @param permit released when the transaction is removed
   */
  OpenTransaction(
      Client client, HandleQuota.Permit permit, Transaction transaction, long nowNanos) {
    this.user = client;
    this.permit = permit;
    open.add(transaction);
    this.usedNanos = nowNanos;
  }

  /** Makes a connection the transaction's client, unless that connection is closed. */
  void usedBy(Client client) {
    if (!client.isGone()) {
      user = client;
    }
  }

  /** Returns the connection that used it last. */
  Client user() {
    return user;
  }

  HandleQuota.Permit permit() {
    return permit;
  }

  /** Releases its permit. */
  void releasePermit() {
    permit.release();
  }

  /**
   * Runs an action in the outermost transaction.
   *
   * @param clock records the end of the action as the last use
   */
  public <T> T use(NanoClock clock, Function<Transaction, T> action) {
    return use(clock, 0, action);
  }

  /**
   * Runs an action in a nested transaction.
   *
   * @param depth the nesting depth; 0 for the outermost transaction
   * @throws TransactionEndedException if no transaction of this depth is open
   */
  public <T> T use(NanoClock clock, int depth, Function<Transaction, T> action) {
    lockManaged();
    try {
      try {
        return action.apply(at(depth));
      } finally {
        usedNanos = clock.nanos();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Transaction at(int depth) {
    if (depth >= open.size()) {
      throw new TransactionEndedException("the nested transaction has ended: begin another");
    }
    return open.get(depth);
  }

  /** Begins a transaction nested in the one of a depth. */
  public void nest(NanoClock clock, int depth) {
    lockManaged();
    try {
      open.add(at(depth).begin());
      usedNanos = clock.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** Ends a nested transaction and those nested in it. */
  public void end(NanoClock clock, int depth, Consumer<Transaction> ending) {
    lockManaged();
    try {
      ending.accept(at(depth));
      open.subList(depth, open.size()).clear();
      usedNanos = clock.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** Renews the transaction. If a request is executing in it, that counts as a use anyway. */
  void renew(NanoClock clock) {
    if (lock.tryLock()) {
      try {
        usedNanos = clock.nanos();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns whether it has been unused for some time. Never waits for a request that uses it. */
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

  /** Takes the lock; while a pool's thread waits for it, the pool starts another. */
  private void lockManaged() {
    if (lock.tryLock()) {
      return;
    }
    try {
      ManagedBlocking.block(
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
      throw new AssertionError("the wait for the lock is uninterruptible", e);
    }
  }

  /** Aborts the transaction if it has not ended. */
  public void close() {
    lockManaged();
    try {
      open.get(0).close();
    } finally {
      lock.unlock();
    }
  }
}
