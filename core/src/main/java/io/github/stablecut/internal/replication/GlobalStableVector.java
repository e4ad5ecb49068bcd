package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.concurrent.TimeUnit;

/**
 * The vector up to which all partitions of a store have recorded everything of other data centres
 * in their journals. Thread-safe.
 */
public interface GlobalStableVector {
  /** Updates the vector that the journal of a local partition has recorded. */
  void recorded(int partition, VectorClock recorded);

  /** The vector that all partitions have recorded: later transactions read at it or later. */
  VectorClock ofAll();

  /**
   * Whether snapshots wait for a partition's journal to record what this or other partitions have
   * received.
   *
   * @param recorded the vector that the journal has recorded
   * @param reached the vector that the partition has received
   */
  default boolean isAwaited(VectorClock recorded, VectorClock reached) {
    return false;
  }

  /** The interval at which journals record the vector while there are commits. */
  default long intervalNanos() {
    return TimeUnit.SECONDS.toNanos(1);
  }
}
