package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;

/** Computes vectors that include every commit acknowledged so far by any node of a cluster. */
public final class AcknowledgedPoint {
  private AcknowledgedPoint() {}

  /**
   * Returns a vector at or above every commit acknowledged before this call.
   *
   * @param keys restrict the commits to those that write these objects; without keys, all commits
   *     count
   */
  public static VectorClock of(Partitions partitions, Key<?>... keys) {
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

  /** Asks every partition: a commit on several partitions may be known to its coordinator alone. */
  private static VectorClock ofAll(Partitions partitions) {
    VectorClock acknowledged = partitions.snapshot();
    for (PartitionAccess partition : partitions.all()) {
      acknowledged = acknowledged.join(partition.acknowledged());
    }
    return acknowledged;
  }
}
