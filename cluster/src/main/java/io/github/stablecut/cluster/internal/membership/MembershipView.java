package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.ReplicaShortage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * This node's current view of the cluster's members and of the partitions' owners. Thread-safe;
 * published by the node's actor.
 */
public final class MembershipView {
  /**
   * The owner of a partition.
   *
   * @param node the owner's name; empty if no owner is known
   * @param address the owner's last address, as {@code host:port}
   * @param epoch the partition's epoch
   * @param isReachable whether the owner is reachable
   * @param lagMillis the time since the last heartbeat of the owner
   */
  public record Owner(
      int partition, String node, String address, long epoch, boolean isReachable, long lagMillis) {
    /** The same owner, unreachable. */
    Owner asUnreachable() {
      return new Owner(partition, node, address, epoch, false, lagMillis);
    }

    /** A partition without a known owner. */
    static Owner unknown(int partition) {
      return new Owner(partition, "", "", 0, false, 0);
    }
  }

  /**
   * An unreachable member.
   *
   * @param name the member's name; empty if it has sent no heartbeat since it joined
   * @param isSilent whether no reachable node has heard it for several seconds
   * @param isLost whether it was reachable before; false for a new member, and right after this
   *     process was frozen
   */
  public record UnreachableMember(String address, String name, boolean isSilent, boolean isLost) {}

  private volatile List<Owner> owners = List.of();
  private volatile Map<String, String> nodes = Map.of();
  private final Map<String, String> clientAddresses = new ConcurrentHashMap<>();
  private final Map<String, String> zones = new ConcurrentHashMap<>();
  private volatile List<MoveProgress> moves = List.of();
  private volatile Set<String> members = Set.of();
  private volatile Set<String> reachable = Set.of();
  private volatile Set<String> leaving = Set.of();
  private volatile List<UnreachableMember> unreachable = List.of();
  private volatile int replicasUpToDate;
  private volatile List<ReplicaShortage> shortages = List.of();
  private volatile Set<Integer> unserved = Set.of();
  private volatile boolean isReplicated;
  private volatile boolean willBeReplicated;
  private boolean isEnded;

  /** The owner of a partition; unknown if there is no such partition. */
  public Owner owner(int partition) {
    List<Owner> now = owners;
    return partition < now.size() ? now.get(partition) : Owner.unknown(partition);
  }

  /** The owners, by partition. */
  public List<Owner> owners() {
    return owners;
  }

  /** The addresses of the reachable nodes, by name; without observers. */
  public Map<String, String> nodes() {
    return nodes;
  }

  /** Records a node's address for clients, as {@code host:port}; empty if it has none. */
  public void recordClientAddress(String node, String address) {
    clientAddresses.put(node, address);
  }

  /** Records a node's zone; empty if it has none. */
  public void recordZone(String node, String zone) {
    zones.put(node, zone);
  }

  /** The last known zones, by node name; empty for a node without one. */
  public Map<String, String> zones() {
    return Map.copyOf(zones);
  }

  /** The addresses for clients of the reachable nodes that have one, by node name. */
  public Map<String, String> clientAddresses() {
    Map<String, String> reachable = new TreeMap<>(clientAddresses);
    reachable.keySet().retainAll(nodes.keySet());
    reachable.values().removeIf(String::isEmpty);
    return reachable;
  }

  /** The moves of partitions to reachable nodes, including some finished ones. */
  public List<MoveProgress> moves() {
    return moves;
  }

  /** The addresses of all members, including unreachable ones. */
  public Set<String> members() {
    return members;
  }

  /** The names of the reachable nodes, including observers. */
  public Set<String> reachable() {
    return reachable;
  }

  /** Records the names of the reachable nodes, including observers. */
  public synchronized void recordReachable(Set<String> names) {
    reachable = isEnded ? Set.of() : Set.copyOf(names);
  }

  /** The names of the reachable nodes that are leaving. */
  public Set<String> leaving() {
    return leaving;
  }

  public void recordLeaving(Set<String> names) {
    leaving = Set.copyOf(names);
  }

  /** The number of leaders and up-to-date followers on reachable nodes. */
  public int replicasUpToDate() {
    return replicasUpToDate;
  }

  /** The partitions with fewer working replicas than configured, by number. */
  public List<ReplicaShortage> shortages() {
    return shortages;
  }

  /** Records the state of the replicas on reachable nodes. */
  public void recordReplicas(int upToDate, List<ReplicaShortage> found) {
    replicasUpToDate = upToDate;
    shortages = List.copyOf(found);
  }

  /** The partitions whose last owners are reachable but no longer serve them. */
  public Set<Integer> unserved() {
    return unserved;
  }

  public void recordUnserved(Set<Integer> partitions) {
    unserved = Set.copyOf(partitions);
  }

  /** The unreachable members, including observers. */
  public List<UnreachableMember> unreachable() {
    return unreachable;
  }

  /** Whether the member at an address is lost. */
  public boolean isLost(String address) {
    for (UnreachableMember one : unreachable) {
      if (one.isLost && one.address.equals(address)) {
        return true;
      }
    }
    return false;
  }

  public void recordMembers(Set<String> addresses, List<UnreachableMember> unreachable) {
    members = Set.copyOf(addresses);
    this.unreachable = List.copyOf(unreachable);
  }

  /** Whether partitions have replicas, so that another node takes over from a lost leader. */
  public boolean isReplicated() {
    return isReplicated;
  }

  /** Records whether partitions have replicas according to this node's plan. */
  public void recordPlan(boolean withReplicas) {
    isReplicated = withReplicas;
  }

  /** Whether any known plan, of this node or another one, has replicas. */
  public boolean willBeReplicated() {
    return isReplicated || willBeReplicated;
  }

  /** Records that another node's plan has replicas, which this node's plan may not have yet. */
  public void heardOfReplicas() {
    willBeReplicated = true;
  }

  /** Makes all owners unreachable for good: this node is no longer a member. */
  public synchronized void end() {
    isEnded = true;
    nodes = Map.of();
    reachable = Set.of();
    owners = owners.stream().map(Owner::asUnreachable).toList();
  }

  public synchronized void publish(
      List<Owner> newest, Map<String, String> reachable, List<MoveProgress> moving) {
    if (isEnded) {
      return;
    }
    nodes = Map.copyOf(reachable);
    // Owners first: a reader that sees a finished move must see the new owner too.
    owners = List.copyOf(newest);
    moves = List.copyOf(moving);
  }
}
