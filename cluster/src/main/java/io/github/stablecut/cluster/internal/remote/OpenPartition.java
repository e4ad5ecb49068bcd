package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A partition that is open on this node, until it is given to another one. Thread-safe.
 *
 * <p>Invariant: what was told of a partition that is fenced is in its journal. An answer that was
 * made from it while it was fenced is not told: the next owner may know more.
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

  /** Whether it is this node's still. */
  boolean isServing() {
    return !fenced;
  }

  /**
   * Reads here, or elsewhere if the partition is gone before there is an answer.
   *
   * @param elsewhere asks the next owner
   */
  <T> T read(Function<Partition, T> here, Supplier<T> elsewhere) {
    try {
      T answer = here.apply(partition);
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
   * Hands over a message about a transaction of several partitions. One that is lost here is sent
   * again, to the next owner.
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
   * Begins no more transactions of several partitions, and waits for those that it decides, which
   * the next owner does not know.
   *
   * @param atMost then whoever began them does not learn what became of them
   */
  public void drain(Duration atMost) {
    draining = true;
    long deadline = System.nanoTime() + atMost.toNanos();
    while (partition.openTransactions() > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** From now on nothing of it is told. One partition of a node at a time. */
  public void fence() {
    gate.writeLock().lock();
    try {
      fenced = true;
    } finally {
      gate.writeLock().unlock();
    }
  }
}
