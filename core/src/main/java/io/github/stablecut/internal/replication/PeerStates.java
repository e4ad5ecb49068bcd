package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The reported states of a partition's peers. Confined to one thread. */
final class PeerStates {
  /** The time after which a data centre that sends nothing counts as silent. */
  static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Map<Integer, Peer> peers = new HashMap<>();

  /**
   * A peer: when its last message arrived, the checksum of its membership, and the vector that it
   * has.
   */
  private record Peer(long heardAtNanos, int members, VectorClock reached) {}

  void heard(ReplicationMessage.Head head, long nowNanos) {
    peers.put(head.from(), new Peer(nowNanos, head.members(), head.reached()));
  }

  boolean isHeard(int dataCentre, long nowNanos) {
    Peer peer = peers.get(dataCentre);
    return peer != null && nowNanos - peer.heardAtNanos <= SILENCE_NANOS;
  }

  /** Whether all these data centres have reported the same membership. */
  boolean know(Set<Integer> dataCentres, int members) {
    return dataCentres.stream()
        .allMatch(
            dataCentre -> {
              Peer peer = peers.get(dataCentre);
              return peer != null && peer.members == members;
            });
  }

  /** Whether all these data centres have reported exactly this progress of a stream. */
  boolean haveReached(Set<Integer> dataCentres, int source, long time) {
    return dataCentres.stream()
        .allMatch(
            dataCentre -> {
              Peer peer = peers.get(dataCentre);
              return peer != null && peer.reached.get(source) == time;
            });
  }

  /**
   * Returns the data centre that has most of a stream.
   *
   * @param except the data centres to exclude
   * @param above the time that it must exceed
   */
  Optional<Integer> bestOf(int source, Set<Integer> except, long above, long nowNanos) {
    long best = above;
    Optional<Integer> found = Optional.empty();
    for (Map.Entry<Integer, Peer> peer : peers.entrySet()) {
      long reached = peer.getValue().reached.get(source);
      if (isHeard(peer.getKey(), nowNanos) && reached > best && !except.contains(peer.getKey())) {
        best = reached;
        found = Optional.of(peer.getKey());
      }
    }
    return found;
  }
}
