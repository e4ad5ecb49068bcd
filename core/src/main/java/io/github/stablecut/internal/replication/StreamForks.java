package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.Timestamp;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The streams of which this data centre and another one have different transactions. Confined to
 * one thread at a time.
 */
final class StreamForks {
  private final int local;
  private final Map<Integer, String> byOther = new TreeMap<>();

  StreamForks(int local) {
    this.local = local;
  }

  /**
   * One was found.
   *
   * @param other who has other transactions than this data centre
   * @param source the data centre that has committed all of them
   * @param after a commit time up to which both have the same
   */
  void found(int other, int source, long after) {
    byOther.put(
        other,
        "data centre %d and this one, %d, have different transactions of data centre %d after %s: its directory was copied or put back to an older state, and both went on. Nothing more of it is taken from %d. Detach %d, and %d or %d; of those two, export what the other one lacks, and join again with empty directories"
            .formatted(other, local, source, Timestamp.format(after), other, source, local, other));
  }

  /** Forgets those with data centres that do not take part any more. */
  void keepOnly(Set<Integer> others) {
    byOther.keySet().retainAll(others);
  }

  /** One sentence or more for each. */
  Collection<String> describe() {
    return byOther.values();
  }
}
