package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.util.List;

/** Computes vectors whose entries for other data centres all partitions have reached. */
final class RemoteEntries {
  private RemoteEntries() {}

  /**
   * Lowers a vector's entries for other data centres to what all partitions have, so that a read at
   * it does not wait for another data centre.
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
   * Like {@link #toAll}, with the entries of other data centres lowered further to the last
   * transaction of each: a snapshot at the result sees the same transactions. A commit based on it
   * then depends on transactions only, and its readers need not have received later times without
   * transactions.
   */
  static VectorClock lastOfAll(
      LocalDataCentre local, List<? extends PartitionAccess> all, VectorClock vector) {
    if (local.othersAreAtOrBefore(vector, VectorClock.ZERO)) {
      return vector;
    }
    // In this order: the last transaction up to the lowered vector is known by then.
    VectorClock received = toAll(local, all, vector);
    return local.lowerOthers(received, last(all));
  }

  private static VectorClock last(List<? extends PartitionAccess> all) {
    VectorClock last = VectorClock.ZERO;
    for (PartitionAccess partition : all) {
      last = last.join(partition.lastOfOthers());
    }
    return last;
  }

  /**
   * Like {@link #lastOfAll}, restricted to what the journals have recorded and a restart preserves.
   */
  static VectorClock recordedByAll(LocalDataCentre local, List<Partition> all, VectorClock vector) {
    VectorClock lowered = vector;
    for (Partition partition : all) {
      lowered = local.lowerOthers(lowered, partition.streams().recorded());
    }
    return local.lowerOthers(lowered, last(all));
  }
}
