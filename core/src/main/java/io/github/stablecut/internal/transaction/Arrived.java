package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.util.List;

/** What has arrived from other data centres. */
final class Arrived {
  private Arrived() {}

  /**
   * A vector with the entries of other data centres lowered to what all partitions have, so that a
   * read at it does not wait for another data centre.
   */
  static VectorClock toAll(
      LocalDataCentre local, List<? extends PartitionAccess> all, VectorClock vector) {
    if (local.othersAreAtOrBefore(vector, VectorClock.ZERO)) {
      return vector;
    }
    VectorClock lowered = vector;
    for (PartitionAccess partition : all) {
      lowered = local.lowerOthers(lowered, partition.stable());
    }
    return lowered;
  }

  /**
   * A vector with the entries of other data centres lowered to what all partitions have, as far as
   * restarts do not forget it.
   */
  static VectorClock recordedByAll(LocalDataCentre local, List<Partition> all, VectorClock vector) {
    VectorClock lowered = vector;
    for (Partition partition : all) {
      lowered = local.lowerOthers(lowered, partition.streams().recorded());
    }
    return lowered;
  }
}
