package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The watermarks of a partition's peers in other data centres, which pruning and truncation must
 * not overtake: what their later transactions have seen at least, and what they have received.
 * Thread-safe.
 *
 * <p>A peer that has reported nothing yet counts as the zero vector, so nothing that it may need is
 * pruned or truncated. Reports do not survive a restart; peers repeat them.
 */
final class PeerWatermarks {
  /** What a peer has reported. Immutable. */
  private record Told(VectorClock promise, VectorClock reached, boolean isAwaited) {
    static final Told NOTHING = new Told(VectorClock.ZERO, VectorClock.ZERO, true);

    Told with(VectorClock newPromise, VectorClock newReached) {
      return new Told(promise.join(newPromise), reached.join(newReached), isAwaited);
    }
  }

  private final Map<Integer, Told> told = new ConcurrentHashMap<>();

  /**
   * @param dataCentres the other data centres
   */
  PeerWatermarks(Set<Integer> dataCentres) {
    dataCentres.forEach(this::add);
  }

  /** Adds a data centre. */
  void add(int dataCentre) {
    var unused = told.putIfAbsent(dataCentre, Told.NOTHING);
  }

  /** Whether a data centre is one of them. */
  boolean has(int dataCentre) {
    return told.containsKey(dataCentre);
  }

  /**
   * Records a promise of a data centre. Its earlier transactions are ordered here.
   *
   * @param promise all later transactions of the data centre have read at or after it
   */
  void promised(int dataCentre, VectorClock promise) {
    var unused =
        told.computeIfPresent(dataCentre, (key, before) -> before.with(promise, VectorClock.ZERO));
  }

  /** Records what a data centre has durably received. */
  void reached(int dataCentre, VectorClock reached) {
    var unused =
        told.computeIfPresent(dataCentre, (key, before) -> before.with(VectorClock.ZERO, reached));
  }

  /** What a data centre has durably received, by its reports. */
  VectorClock reached(int dataCentre) {
    return told.getOrDefault(dataCentre, Told.NOTHING).reached;
  }

  /** Notes that a data centre will send nothing and needs nothing from now on. */
  void release(int dataCentre) {
    var unused =
        told.computeIfPresent(
            dataCentre, (key, before) -> new Told(before.promise, before.reached, false));
  }

  /** A frontier lowered to what all later transactions of other data centres have seen. */
  VectorClock limitFrontier(VectorClock frontier) {
    VectorClock lowered = frontier;
    for (Told one : told.values()) {
      lowered = one.isAwaited ? lowered.meet(one.promise) : lowered;
    }
    return lowered;
  }

  /** A vector lowered to what all other data centres have. */
  VectorClock limitTruncation(VectorClock vector) {
    VectorClock lowered = vector;
    for (Map.Entry<Integer, Told> one : told.entrySet()) {
      if (one.getValue().isAwaited) {
        // A peer never needs its own commits.
        int itself = one.getKey();
        lowered = lowered.meet(one.getValue().reached.with(itself, lowered.get(itself)));
      }
    }
    return lowered;
  }
}
