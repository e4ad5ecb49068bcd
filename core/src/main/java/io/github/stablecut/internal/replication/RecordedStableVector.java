package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A {@link GlobalStableVector} for a store whose partitions are all in this process. Thread-safe.
 */
public final class RecordedStableVector implements GlobalStableVector {
  private final AtomicReferenceArray<VectorClock> byPartition;

  public RecordedStableVector(int partitions) {
    byPartition = new AtomicReferenceArray<>(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      byPartition.set(partition, VectorClock.ZERO);
    }
  }

  @Override
  public void recorded(int partition, VectorClock recorded) {
    byPartition.set(partition, recorded);
  }

  @Override
  public VectorClock ofAll() {
    VectorClock all = byPartition.get(0);
    for (int partition = 1; partition < byPartition.length(); partition++) {
      all = all.meet(byPartition.get(partition));
    }
    return all;
  }
}
