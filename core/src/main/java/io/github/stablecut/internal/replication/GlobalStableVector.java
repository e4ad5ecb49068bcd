package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.concurrent.TimeUnit;

/**
 * Up to where everything of other data centres has come to all partitions of a store, as their
 * journals tell. Thread-safe.
 */
public interface GlobalStableVector {
  /** How far it has come to an open partition of this process, as the journal tells. */
  void recorded(int partition, VectorClock recorded);

  /** How far it has come to all partitions: later transactions read at it or later. */
  VectorClock ofAll();

  /**
   * Whether snapshots wait for a partition's journal to tell of something that has come to other
   * partitions, or to this one.
   *
   * @param recorded what it tells
   * @param reached what has come to the partition
   */
  default boolean isAwaited(VectorClock recorded, VectorClock reached) {
    return false;
  }

  /** How often the journals are to tell it while something is committed. */
  default long intervalNanos() {
    return TimeUnit.SECONDS.toNanos(1);
  }
}
