package io.github.stablecut.cluster.internal.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one run of a {@link SimulatedNode} knows of the members, as Akka would: a lattice (up, down,
 * removed) that is merged along the links that work.
 */
final class SimulatedProtocol {
  private static final int SUSPECTED_AFTER = 4;

  /** What a member is to another one; grows only. */
  private enum Level {
    UP,
    DOWN,
    REMOVED
  }

  private record Known(String address, Level level) {}

  private final SimulatedCluster cluster;
  private final SimulatedNode node;
  private final long uid;
  private final Map<Long, Known> known = new TreeMap<>();
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

  /** The addresses of those that are members and not about to be removed. */
  Set<String> up() {
    Set<String> up = new TreeSet<>();
    for (Known one : known.values()) {
      if (one.level() == Level.UP) {
        up.add(one.address());
      }
    }
    return up;
  }

  /** The members that this one reaches now, and has not taken for unreachable, but itself. */
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
    Known one = known.get(id);
    return one != null && one.level() == Level.UP;
  }

  boolean isMember() {
    return isUp(uid);
  }

  /** Whether the others take nothing from it any more. */
  boolean isQuarantined() {
    return isQuarantined;
  }

  MembershipContext.Status status() {
    Known self = known.get(uid);
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

  /** Removes a member, after what happens now. */
  void removeLater(String address) {
    removals.add(address);
  }

  private void remove(String address) {
    for (Map.Entry<Long, Known> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().address().equals(address)) {
        down(entry.getKey(), entry.getValue());
      }
    }
  }

  private void down(long id, Known one) {
    if (one.level() == Level.UP) {
      var unused = known.put(id, new Known(one.address(), Level.DOWN));
      node.on(new MembershipEvent.Downed(one.address()));
    }
  }

  /** Takes over what the members that it reaches know, and does what Akka's leader does. */
  void gossip() {
    List.copyOf(removals).forEach(this::remove);
    removals.clear();
    joining.ifPresent(this::tryToJoin);
    for (SimulatedNode other : cluster.nodes) {
      if (other == node || !other.isRunning() || !cluster.isLinked(node, other)) {
        continue;
      }
      Known self = other.protocol().known.get(uid);
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
      removeWhoIsDown();
    }
  }

  private void merge(SimulatedProtocol other) {
    for (Map.Entry<Long, Known> entry : other.known.entrySet()) {
      learn(entry.getKey(), entry.getValue());
    }
  }

  private void learn(long id, Known news) {
    Known before = known.get(id);
    if (before != null && before.level().compareTo(news.level()) >= 0) {
      return;
    }
    var unused = known.put(id, news);
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

  /** Asks the node at an address to be made a member; one with its own address is removed first. */
  private void tryToJoin(String where) {
    if (known.containsKey(uid)) {
      joining = Optional.empty();
      return;
    }
    if (where.equals(node.address)) {
      learn(uid, new Known(node.address, Level.UP));
      return;
    }
    SimulatedNode target = cluster.at(where);
    if (!target.isRunning() || !cluster.isLinked(node, target) || !target.protocol().isMember()) {
      return;
    }
    SimulatedProtocol theirs = target.protocol();
    boolean isFree = true;
    for (Map.Entry<Long, Known> entry : List.copyOf(theirs.known.entrySet())) {
      Known one = entry.getValue();
      if (one.address().equals(node.address) && one.level() != Level.REMOVED) {
        isFree = false;
        theirs.down(entry.getKey(), one);
      }
    }
    if (isFree) {
      theirs.learn(uid, new Known(node.address, Level.UP));
      merge(theirs);
    }
  }

  /** Removes who is down once all members that are up know. */
  private void removeWhoIsDown() {
    for (Map.Entry<Long, Known> entry : List.copyOf(known.entrySet())) {
      if (entry.getValue().level() == Level.DOWN && haveAllSeen(entry.getKey())) {
        learn(entry.getKey(), new Known(entry.getValue().address(), Level.REMOVED));
      }
    }
  }

  private boolean haveAllSeen(long down) {
    for (Map.Entry<Long, Known> entry : known.entrySet()) {
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
    Known one = known.get(down);
    return one != null && one.level() != Level.UP;
  }

  /** Notices which members answer no more, and which do again. */
  void detectFailures() {
    for (Map.Entry<Long, Known> entry : List.copyOf(known.entrySet())) {
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
    var unused = unheard.put(id, now);
    if (now == SUSPECTED_AFTER) {
      node.on(new MembershipEvent.Suspected(where));
    } else if (now == 0 && before >= SUSPECTED_AFTER) {
      node.on(new MembershipEvent.Trusted(where));
    }
  }
}
