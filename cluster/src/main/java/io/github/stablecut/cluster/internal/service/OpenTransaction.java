package io.github.stablecut.cluster.internal.service;

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

/** An interactive transaction of clients; one request at a time executes in it. Thread-safe. */
final class OpenTransaction {
  private final HandleQuota.Place place;

  /** The connection that has used it last. */
  private volatile Client user;

  private final ReentrantLock lock = new ReentrantLock();

  /** The transaction, and those that are nested in it, each in the one before. */
  @GuardedBy("lock")
  private final List<Transaction> open = new ArrayList<>(1);

  @GuardedBy("lock")
  private long usedNanos;

  /**
   * @param client the connection that begins it
   * @param place freed when it is taken out
   */
  OpenTransaction(Client client, HandleQuota.Place place, Transaction transaction, long nowNanos) {
    this.user = client;
    this.place = place;
    open.add(transaction);
    this.usedNanos = nowNanos;
  }

  /** A connection uses it, which is from now on its client unless it is closed. */
  void usedBy(Client client) {
    if (!client.isGone()) {
      user = client;
    }
  }

  /** The connection that has used it last. */
  Client user() {
    return user;
  }

  HandleQuota.Place place() {
    return place;
  }

  /** Gives back its place. */
  void freePlace() {
    place.free();
  }

  /**
   * Does something in the transaction.
   *
   * @param clock a clock that runs evenly; when the action ends, the transaction was last used
   */
  <T> T use(NanoClock clock, Function<Transaction, T> action) {
    return use(clock, 0, action);
  }

  /**
   * Does something in a transaction that is nested in it.
   *
   * @param depth how many it is nested in
   * @throws TransactionEndedException if there is none
   */
  <T> T use(NanoClock clock, int depth, Function<Transaction, T> action) {
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

  /** Begins a transaction in one of a depth. */
  void nest(NanoClock clock, int depth) {
    lockManaged();
    try {
      open.add(at(depth).begin());
      usedNanos = clock.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** Ends a nested transaction, and those in it. */
  void end(NanoClock clock, int depth, Consumer<Transaction> ending) {
    lockManaged();
    try {
      ending.accept(at(depth));
      open.subList(depth, open.size()).clear();
      usedNanos = clock.nanos();
    } finally {
      lock.unlock();
    }
  }

  /** It is still needed; who uses it just now says so anyway. */
  void renew(NanoClock clock) {
    if (lock.tryLock()) {
      try {
        usedNanos = clock.nanos();
      } finally {
        lock.unlock();
      }
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
      throw new AssertionError("a lock is waited for without interruption", e);
    }
  }

  /** Aborts it if it has not ended. */
  void close() {
    lockManaged();
    try {
      open.get(0).close();
    } finally {
      lock.unlock();
    }
  }
}
