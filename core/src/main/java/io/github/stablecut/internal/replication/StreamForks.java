package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.Timestamp;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The forked streams: those of which this data centre and another one have different transactions.
 * Confined to one thread at a time.
 */
final class StreamForks {
  private final int local;
  private final Map<Integer, String> byOther = new TreeMap<>();

  StreamForks(int local) {
    this.local = local;
  }

  /**
   * Records a fork.
   *
   * @param other the data centre that has different transactions
   * @param source the data centre that committed all of them
   * @param after a commit time up to which both have the same transactions
   */
  void found(int other, int source, long after) {
    byOther.put(
        other,
        "data centre %d and this one, %d, have different transactions of data centre %d after %s: its directory was copied or restored to an older state, and both copies continued. Nothing more of it is accepted from %d. Detach %d, and %d or %d; of those two, export what the other one lacks, and join again with empty directories"
            .formatted(other, local, source, Timestamp.format(after), other, source, local, other));
  }

  /** Removes the forks with data centres that are no longer active members. */
  void keepOnly(Set<Integer> others) {
    byOther.keySet().retainAll(others);
  }

  /** Describes the forks. */
  Collection<String> describe() {
    return byOther.values();
  }
}
