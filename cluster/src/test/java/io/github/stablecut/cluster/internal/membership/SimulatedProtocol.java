package io.github.stablecut.cluster.internal.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The membership of one run of a {@link SimulatedNode}, like Akka's: a lattice (up, down, removed)
 * that nodes merge over working links.
 */
final class SimulatedProtocol {
  private static final int SUSPECTED_AFTER = 4;

  /** The status of a member, which only increases. */
  private enum Level {
    UP,
    DOWN,
    REMOVED
  }

  private record MemberStatus(String address, Level level) {}

  private final SimulatedCluster cluster;
  private final SimulatedNode node;
  private final long uid;
  private final Map<Long, MemberStatus> known = new TreeMap<>();
  private final Map<Long, Integer> unheard = new TreeMap<>();
  private final List<String> removals = new ArrayList<>();
  private Optional<String> joining = Optional.empty();
  private boolean isQuarantined;

  SimulatedProtocol(SimulatedCluster cluster, SimulatedNode node, long uid) {
    this.cluster = cluster;
    this.node = node;
    this.uid = uid;
  }

  void join(String address) {
    joining = Optional.of(address);
  }

  /** The addresses of the members that are not being removed. */
  Set<String> up() {
    Set<String> up = new TreeSet<>();
    for (MemberStatus one : known.values()) {
      if (one.level() == Level.UP) {
        up.add(one.address());
      }
    }
    return up;
  }

  /** The other members that this one reaches now and does not suspect. */
  List<SimulatedNode> reached() {
    return cluster.nodes.stream()
        .filter(
            other ->
                other != node
                    && other.isRunning()
                    && isUp(other.uid())
                    && unheard.getOrDefault(other.uid(), 0) == 0
                    && cluster.isLinked(node, other))
        .toList();
  }

  private boolean isUp(long id) {
    MemberStatus one = known.get(id);
    return one != null && one.level() == Level.UP;
  }

  boolean isMember() {
    return isUp(uid);
  }

  /** Whether the others have removed it and ignore its messages. */
  boolean isQuarantined() {
    return isQuarantined;
  }

  MembershipContext.Status status() {
    MemberStatus self = known.get(uid);
    if (self == null) {
      return MembershipContext.Status.OUTSIDE;
    }
    return self.level() == Level.UP
        ? MembershipContext.Status.MEMBER
        : MembershipContext.Status.REMOVED;
  }

  List<MemberState> members() {
    List<MemberState> members = new ArrayList<>();
    known.forEach(
        (id, one) -> {
          if (one.level() != Level.REMOVED) {
            members.add(new MemberState(one.address(), id, one.level() == Level.DOWN));
          }
        });
    return members;
  }

  boolean hasEnding() {
    return known.values().stream().anyMatch(one -> one.level() == Level.DOWN);
  }

  /** Removes a member in the next gossip round. */
  void removeLater(String address) {
    removals.add(address);
  }

  private void remove(String address) {
    for (Map.Entry<Long, MemberStatus> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().address().equals(address)) {
        down(entry.getKey(), entry.getValue());
      }
    }
  }

  private void down(long id, MemberStatus one) {
    if (one.level() == Level.UP) {
      known.put(id, new MemberStatus(one.address(), Level.DOWN));
      node.on(new MembershipEvent.Downed(one.address()));
    }
  }

  /** Merges the knowledge of the reachable members, and acts as Akka's leader. */
  void gossip() {
    List.copyOf(removals).forEach(this::remove);
    removals.clear();
    joining.ifPresent(this::tryToJoin);
    for (SimulatedNode other : cluster.nodes) {
      if (other == node || !other.isRunning() || !cluster.isLinked(node, other)) {
        continue;
      }
      MemberStatus self = other.protocol().known.get(uid);
      if (self != null && self.level() == Level.UP) {
        merge(other.protocol());
      } else if (self != null && self.level() == Level.DOWN && known.containsKey(uid)) {
        learn(uid, self);
      } else if (self != null && known.containsKey(uid)) {
        isQuarantined = true;
      }
    }
    if (isQuarantined) {
      node.on(new MembershipEvent.Quarantined());
    }
    if (isMember()) {
      removeDownMembers();
    }
  }

  private void merge(SimulatedProtocol other) {
    for (Map.Entry<Long, MemberStatus> entry : other.known.entrySet()) {
      learn(entry.getKey(), entry.getValue());
    }
  }

  private void learn(long id, MemberStatus news) {
    MemberStatus before = known.get(id);
    if (before != null && before.level().compareTo(news.level()) >= 0) {
      return;
    }
    known.put(id, news);
    switch (news.level()) {
      case UP -> node.on(new MembershipEvent.Joined(news.address()));
      case DOWN -> node.on(new MembershipEvent.Downed(news.address()));
      case REMOVED -> {
        if (before != null) {
          node.on(new MembershipEvent.Removed(news.address()));
        }
      }
    }
  }

  /**
   * Tries to join through the node at an address, which first removes a member with the joining
   * node's address.
   */
  private void tryToJoin(String where) {
    if (known.containsKey(uid)) {
      joining = Optional.empty();
      return;
    }
    if (where.equals(node.address)) {
      learn(uid, new MemberStatus(node.address, Level.UP));
      return;
    }
    SimulatedNode target = cluster.at(where);
    if (!target.isRunning() || !cluster.isLinked(node, target) || !target.protocol().isMember()) {
      return;
    }
    SimulatedProtocol theirs = target.protocol();
    boolean isFree = true;
    for (Map.Entry<Long, MemberStatus> entry : List.copyOf(theirs.known.entrySet())) {
      MemberStatus one = entry.getValue();
      if (one.address().equals(node.address) && one.level() != Level.REMOVED) {
        isFree = false;
        theirs.down(entry.getKey(), one);
      }
    }
    if (isFree) {
      theirs.learn(uid, new MemberStatus(node.address, Level.UP));
      merge(theirs);
    }
  }

  /** Removes the members that are down once all members that are up know. */
  private void removeDownMembers() {
    for (Map.Entry<Long, MemberStatus> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().level() == Level.DOWN && haveAllSeen(entry.getKey())) {
        learn(entry.getKey(), new MemberStatus(entry.getValue().address(), Level.REMOVED));
      }
    }
  }

  private boolean haveAllSeen(long down) {
    for (Map.Entry<Long, MemberStatus> entry : known.entrySet()) {
      if (entry.getValue().level() == Level.UP) {
        Optional<SimulatedNode> other = cluster.running(entry.getKey());
        if (other.isEmpty()
            || !cluster.isLinked(node, other.get())
            || !other.get().protocol().hasSeenDown(down)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean hasSeenDown(long down) {
    MemberStatus one = known.get(down);
    return one != null && one.level() != Level.UP;
  }

  /** Detects members that became unreachable or reachable again. */
  void detectFailures() {
    for (Map.Entry<Long, MemberStatus> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().level() == Level.UP && entry.getKey() != uid) {
        suspect(entry.getKey(), entry.getValue().address());
      }
    }
  }

  private void suspect(long id, String where) {
    int before = unheard.getOrDefault(id, 0);
    boolean isReached =
        cluster.running(id).filter(other -> cluster.isLinked(node, other)).isPresent();
    int now = isReached ? 0 : before + 1;
    unheard.put(id, now);
    if (now == SUSPECTED_AFTER) {
      node.on(new MembershipEvent.Suspected(where));
    } else if (now == 0 && before >= SUSPECTED_AFTER) {
      node.on(new MembershipEvent.Trusted(where));
    }
  }
}
