package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A partition that is open on this node until it is handed off. Thread-safe.
 *
 * <p>Invariant: everything that this node has reported of a fenced partition is in its journal. A
 * result that was computed while the partition was being fenced is discarded: the next owner may
 * have newer data.
 */
public final class OpenPartition {
  private static final long LOOK_NANOS = 1_000_000;

  private final Partition partition;
  private final long epoch;
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
  private volatile boolean draining;
  private volatile boolean fenced;

  OpenPartition(Partition partition, long epoch) {
    this.partition = partition;
    this.epoch = epoch;
  }

  public Partition partition() {
    return partition;
  }

  public long epoch() {
    return epoch;
  }

  /** Returns whether this node still serves the partition. */
  boolean isServing() {
    return !fenced;
  }

  /**
   * Reads here, or at the next owner if the partition is fenced before there is a result.
   *
   * @param elsewhere reads at the next owner
   */
  @CanIgnoreReturnValue
  <T> T read(Function<Partition, T> local, Supplier<T> elsewhere) {
    try {
      T answer = local.apply(partition);
      if (isServing()) {
        return answer;
      }
    } catch (RuntimeException e) {
      if (isServing()) {
        throw e;
      }
    }
    return elsewhere.get();
  }

  /**
   * Delivers a message about a distributed transaction. The sender repeats a message that is
   * dropped here, to the next owner.
   */
  public void receive(Message.ToPartition message) {
    if (draining && message instanceof Message.Open) {
      return;
    }
    gate.readLock().lock();
    try {
      if (!fenced) {
        partition.receive(message);
      }
    } finally {
      gate.readLock().unlock();
    }
  }

  /**
   * Refuses new distributed transactions, and waits for those that this partition coordinates: the
   * next owner does not know them.
   *
   * @param atMost how long; drivers of transactions that last longer do not learn the outcome
   */
  public void drain(Duration atMost) {
    draining = true;
    long deadlineNanos = System.nanoTime() + atMost.toNanos();
    while (partition.openTransactions() > 0 && System.nanoTime() - deadlineNanos < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /**
   * Ends leadership because another replica is about to lead the partition. Drops a checkpoint in
   * progress, as the next leader makes its own, begins no other, and drains the partition as {@link
   * #drain} does.
   */
  void endLeading(Duration atMost) {
    partition.maintenance().abandon();
    partition.maintenance().suspend();
    drain(atMost);
  }

  /** Fences the partition ({@link RequestServer#fence}). */
  void fence() {
    gate.writeLock().lock();
    try {
      fenced = true;
    } finally {
      gate.writeLock().unlock();
    }
  }
}
