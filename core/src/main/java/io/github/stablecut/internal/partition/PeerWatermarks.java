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
  /** The vectors that a peer has reported. Immutable. */
  private record PeerState(VectorClock promise, VectorClock reached, boolean isAwaited) {
    static final PeerState UNKNOWN = new PeerState(VectorClock.ZERO, VectorClock.ZERO, true);

    PeerState with(VectorClock newPromise, VectorClock newReached) {
      return new PeerState(promise.join(newPromise), reached.join(newReached), isAwaited);
    }
  }

  private final Map<Integer, PeerState> peers = new ConcurrentHashMap<>();

  /**
   * @param dataCentres the other data centres
   */
  PeerWatermarks(Set<Integer> dataCentres) {
    dataCentres.forEach(this::add);
  }

  /** Adds a data centre. */
  void add(int dataCentre) {
    peers.putIfAbsent(dataCentre, PeerState.UNKNOWN);
  }

  /** Whether a data centre is one of them. */
  boolean has(int dataCentre) {
    return peers.containsKey(dataCentre);
  }

  /**
   * Records a promise of a data centre. Its earlier transactions are ordered here.
   *
   * @param promise all later transactions of the data centre have read at or after it
   */
  void promised(int dataCentre, VectorClock promise) {
    peers.computeIfPresent(dataCentre, (key, before) -> before.with(promise, VectorClock.ZERO));
  }

  /** Records what a data centre has durably received. */
  void reached(int dataCentre, VectorClock reached) {
    peers.computeIfPresent(dataCentre, (key, before) -> before.with(VectorClock.ZERO, reached));
  }

  /**
   * Returns the vector up to which a data centre has durably received everything, by its reports.
   */
  VectorClock reached(int dataCentre) {
    return peers.getOrDefault(dataCentre, PeerState.UNKNOWN).reached;
  }

  /** Notes that a data centre will send nothing and needs nothing from now on. */
  void release(int dataCentre) {
    peers.computeIfPresent(
        dataCentre, (key, before) -> new PeerState(before.promise, before.reached, false));
  }

  /** A frontier lowered to what all later transactions of other data centres have seen. */
  VectorClock limitFrontier(VectorClock frontier) {
    VectorClock lowered = frontier;
    for (PeerState one : peers.values()) {
      lowered = one.isAwaited ? lowered.meet(one.promise) : lowered;
    }
    return lowered;
  }

  /** A vector lowered to what all other data centres have. */
  VectorClock limitTruncation(VectorClock vector) {
    VectorClock lowered = vector;
    for (Map.Entry<Integer, PeerState> one : peers.entrySet()) {
      if (one.getValue().isAwaited) {
        // A peer never needs its own commits.
        int itself = one.getKey();
        lowered = lowered.meet(one.getValue().reached.with(itself, lowered.get(itself)));
      }
    }
    return lowered;
  }
}
