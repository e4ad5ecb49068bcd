package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the counterparts of a partition have told of themselves. Confined to one thread. */
final class PeerStates {
  /** A data centre that was not heard for so long counts as silent. */
  static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Map<Integer, Peer> all = new HashMap<>();

  /** A counterpart: when it was heard, what it knows of the group, and what it has. */
  private record Peer(long heardAt, int members, VectorClock reached) {}

  void heard(ReplicationMessage.Head head, long now) {
    var unused = all.put(head.from(), new Peer(now, head.members(), head.reached()));
  }

  boolean isHeard(int dataCentre, long now) {
    Peer peer = all.get(dataCentre);
    return peer != null && now - peer.heardAt <= SILENCE_NANOS;
  }

  /** Whether all of some data centres have told that they know the same of the group. */
  boolean know(Set<Integer> dataCentres, int members) {
    return dataCentres.stream()
        .allMatch(
            dataCentre -> {
              Peer peer = all.get(dataCentre);
              return peer != null && peer.members == members;
            });
  }

  /** Whether all of some data centres have told that a stream has come to them just so far. */
  boolean haveReached(Set<Integer> dataCentres, int source, long time) {
    return dataCentres.stream()
        .allMatch(
            dataCentre -> {
              Peer peer = all.get(dataCentre);
              return peer != null && peer.reached.get(source) == time;
            });
  }

  /**
   * Who has most of a stream.
   *
   * @param except are not asked
   * @param above the time up to which it has to be there at least
   */
  Optional<Integer> bestOf(int source, Set<Integer> except, long above, long now) {
    long best = above;
    Optional<Integer> found = Optional.empty();
    for (Map.Entry<Integer, Peer> peer : all.entrySet()) {
      long reached = peer.getValue().reached.get(source);
      if (isHeard(peer.getKey(), now) && reached > best && !except.contains(peer.getKey())) {
        best = reached;
        found = Optional.of(peer.getKey());
      }
    }
    return found;
  }
}
