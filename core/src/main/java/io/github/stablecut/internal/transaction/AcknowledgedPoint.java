package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;

/** What has been acknowledged, by whichever node of a cluster. */
final class AcknowledgedPoint {
  private AcknowledgedPoint() {}

  /**
   * A vector at or above all commits that were acknowledged before.
   *
   * @param keys of what is written by the commits; of all, if there are none
   */
  static VectorClock of(Partitions partitions, Key<?>... keys) {
    if (keys.length == 0) {
      return ofAll(partitions);
    }
    VectorClock acknowledged = partitions.newest();
    boolean dependsOnTime = false;
    for (Key<?> key : keys) {
      acknowledged = acknowledged.join(partitions.of(key.id()).acknowledged(key.id()));
      dependsOnTime |= key.dependsOnTime();
    }
    return dependsOnTime ? acknowledged.join(partitions.snapshot()) : acknowledged;
  }

  /** Whichever partition has decided a commit on several is asked, so no other has to know it. */
  private static VectorClock ofAll(Partitions partitions) {
    VectorClock acknowledged = partitions.snapshot();
    for (PartitionAccess partition : partitions.all()) {
      acknowledged = acknowledged.join(partition.acknowledged());
    }
    return acknowledged;
  }
}
