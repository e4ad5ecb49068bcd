package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Joins the commits of several partitions to one order: that of commit times. A commit is held
 * until every partition has told all its commits at or before it; then a transaction over several
 * partitions is whole, and nothing that is before it can come any more. For the partitions of one
 * data centre, whose commit times are unique. Confined to one thread at a time.
 */
final class CommitMerger {
  private final LocalDataCentre local;
  private final VectorClock[] complete;
  private final TreeMap<Long, CommittedWrites> held = new TreeMap<>();
  private long heldSize;

  /**
   * @param from the point after which partitions tell their commits
   */
  CommitMerger(LocalDataCentre local, int partitions, VectorClock from) {
    this.local = local;
    complete = new VectorClock[partitions];
    Arrays.fill(complete, from);
  }

  /** Takes what a partition has of a transaction; in any order above what is complete. */
  void add(CommittedWrites writes) {
    CommittedWrites before = held.get(writes.time());
    CommittedWrites after = before == null ? writes : before.with(writes);
    var unused = held.put(writes.time(), after);
    heldSize += size(after) - (before == null ? 0 : size(before));
  }

  /** How much is held: the commits and their objects. */
  long heldSize() {
    return heldSize;
  }

  private static long size(CommittedWrites writes) {
    return 1L + writes.objects().size();
  }

  /** Takes note that a partition has told everything at or before a vector. */
  void complete(int partition, VectorClock at) {
    complete[partition] = complete[partition].join(at);
  }

  /** Everything at or before it was told by all. */
  VectorClock complete() {
    VectorClock all = complete[0];
    for (VectorClock one : complete) {
      all = all.meet(one);
    }
    return all;
  }

  /** The partition that has told least. */
  int slowest() {
    int slowest = 0;
    for (int partition = 1; partition < complete.length; partition++) {
      if (local.timeIn(complete[partition]) < local.timeIn(complete[slowest])) {
        slowest = partition;
      }
    }
    return slowest;
  }

  /** Takes out what is held no longer, in order. */
  List<CommittedWrites> release() {
    VectorClock bound = complete();
    List<CommittedWrites> released = new ArrayList<>();
    for (Map.Entry<Long, CommittedWrites> oldest = held.firstEntry();
        oldest != null && oldest.getValue().at().isAtOrBefore(bound);
        oldest = held.firstEntry()) {
      released.add(oldest.getValue());
      var unused = held.remove(oldest.getKey());
      heldSize -= size(oldest.getValue());
    }
    return released;
  }

  /** The commit vector of the oldest that is held. */
  Optional<VectorClock> oldestHeld() {
    return Optional.ofNullable(held.firstEntry()).map(entry -> entry.getValue().at());
  }
}
