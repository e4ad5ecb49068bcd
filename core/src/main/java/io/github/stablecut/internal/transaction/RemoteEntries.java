package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.util.List;

/** What has arrived from other data centres. */
final class RemoteEntries {
  private RemoteEntries() {}

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
   * As {@link #toAll}, with the entries of other data centres no later than the last transaction of
   * each: a snapshot at it sees the same as one at the later time. What commits from it depends on
   * transactions only, and not on times at which there were none: whoever sees it need not have
   * heard of those.
   */
  static VectorClock lastOfAll(
      LocalDataCentre local, List<? extends PartitionAccess> all, VectorClock vector) {
    if (local.othersAreAtOrBefore(vector, VectorClock.ZERO)) {
      return vector;
    }
    // First what all have: the last one up to there is known by then.
    VectorClock arrived = toAll(local, all, vector);
    return local.lowerOthers(arrived, last(all));
  }

  private static VectorClock last(List<? extends PartitionAccess> all) {
    VectorClock last = VectorClock.ZERO;
    for (PartitionAccess partition : all) {
      last = last.join(partition.lastOfOthers());
    }
    return last;
  }

  /** As {@link #lastOfAll}, as far as restarts do not forget what is here. */
  static VectorClock recordedByAll(LocalDataCentre local, List<Partition> all, VectorClock vector) {
    VectorClock lowered = vector;
    for (Partition partition : all) {
      lowered = local.lowerOthers(lowered, partition.streams().recorded());
    }
    return local.lowerOthers(lowered, last(all));
  }
}
