package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Up to where everything of other data centres has come to each partition of a store, as its
 * journal tells. Thread-safe.
 */
public final class RecordedArrivals {
  private final AtomicReferenceArray<VectorClock> byPartition;

  public RecordedArrivals(int partitions) {
    byPartition = new AtomicReferenceArray<>(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      byPartition.set(partition, VectorClock.ZERO);
    }
  }

  void set(int partition, VectorClock recorded) {
    byPartition.set(partition, recorded);
  }

  /** Up to where everything has come to all partitions. */
  VectorClock ofAll() {
    VectorClock all = byPartition.get(0);
    for (int partition = 1; partition < byPartition.length(); partition++) {
      all = all.meet(byPartition.get(partition));
    }
    return all;
  }
}
