package io.github.stablecut.cluster.internal.membership;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What this node knows now of who owns which partition. Thread-safe; one actor publishes it. */
public final class MembershipView {
  /**
   * Who owns a partition.
   *
   * @param node its name; empty if nobody has ever been heard of
   * @param address where it listened last, as {@code host:port}
   * @param epoch the partition's
   * @param isReachable whether it can be asked now
   * @param lagMillis how long ago it was heard of
   */
  public record Owner(
      int partition, String node, String address, long epoch, boolean isReachable, long lagMillis) {
    /** The same, when it can't be asked. */
    Owner lost() {
      return new Owner(partition, node, address, epoch, false, lagMillis);
    }

    /** Nobody. */
    static Owner unknown(int partition) {
      return new Owner(partition, "", "", 0, false, 0);
    }
  }

  /**
   * A member that can't be asked now.
   *
   * @param name empty if it has not said who it is since it is a member
   * @param isSilent whether no node that can be asked has heard it for seconds
   * @param isLost whether it has answered, and does not any more: not if it has just come, and not
   *     right after this process was frozen
   */
  public record Away(String address, String name, boolean isSilent, boolean isLost) {}

  private final ShardRoutes routes = new ShardRoutes(System::nanoTime);
  private volatile List<Owner> owners = List.of();
  private volatile Map<String, String> nodes = Map.of();
  private final Map<String, String> clients = new ConcurrentHashMap<>();
  private final Map<String, String> zones = new ConcurrentHashMap<>();
  private volatile List<MoveProgress> moves = List.of();
  private volatile Set<String> members = Set.of();
  private volatile Set<String> leaving = Set.of();
  private volatile List<Away> away = List.of();
  private volatile int replicasUpToDate;
  private volatile Set<Integer> unserved = Set.of();
  private volatile boolean isReplicated;
  private volatile boolean willBeReplicated;
  private boolean isEnded;

  /** The owner of a partition. */
  public Owner owner(int partition) {
    List<Owner> now = owners;
    return partition < now.size() ? now.get(partition) : Owner.unknown(partition);
  }

  /** By partition. */
  public List<Owner> owners() {
    return owners;
  }

  /** Whether what is for an owner may be given to Akka. */
  public ShardRoutes routes() {
    return routes;
  }

  /** The addresses of the nodes that can be asked now, by name. */
  public Map<String, String> nodes() {
    return nodes;
  }

  /** A node has said where its server listens for clients, as {@code host:port}; empty for none. */
  public void listens(String node, String address) {
    var unused = clients.put(node, address);
  }

  /** A node has said which zone it is in; empty for none. */
  public void isIn(String node, String zone) {
    var unused = zones.put(node, zone);
  }

  /** The zones that nodes have said last, by the nodes' names; empty for none. */
  public Map<String, String> zones() {
    return Map.copyOf(zones);
  }

  /** Where the servers of nodes that can be asked now listen for clients, by the nodes' names. */
  public Map<String, String> clients() {
    Map<String, String> reachable = new TreeMap<>(clients);
    boolean unused = reachable.keySet().retainAll(nodes.keySet());
    boolean unusedToo = reachable.values().removeIf(String::isEmpty);
    return reachable;
  }

  /** The moves of partitions to nodes that can be asked now, also some that are over. */
  public List<MoveProgress> moves() {
    return moves;
  }

  /** The addresses of the cluster's members, also of those that can't be reached now. */
  public Set<String> members() {
    return members;
  }

  /** The names of the nodes that can be asked now and say that they leave. */
  public Set<String> leaving() {
    return leaving;
  }

  public void leave(Set<String> names) {
    leaving = Set.copyOf(names);
  }

  /** How many copies on nodes that can be asked now lead, or follow and lack nothing. */
  public int replicasUpToDate() {
    return replicasUpToDate;
  }

  public void haveUpToDate(int replicas) {
    replicasUpToDate = replicas;
  }

  /** The partitions whose last owners can be asked now, and serve them no more. */
  public Set<Integer> unserved() {
    return unserved;
  }

  public void unserved(Set<Integer> partitions) {
    unserved = Set.copyOf(partitions);
  }

  /** The members that can't be asked now, visitors, too. */
  public List<Away> away() {
    return away;
  }

  /** Whether the member at an address is lost. */
  public boolean isLost(String address) {
    for (Away one : away) {
      if (one.isLost && one.address.equals(address)) {
        return true;
      }
    }
    return false;
  }

  public void joined(Set<String> addresses, List<Away> unreachable) {
    members = Set.copyOf(addresses);
    away = List.copyOf(unreachable);
  }

  /** Whether another node takes over what a lost one has led. */
  public boolean isReplicated() {
    return isReplicated;
  }

  /** The plan of the cluster is known. */
  public void planned(boolean withReplicas) {
    isReplicated = withReplicas;
  }

  /** Whether this node or another one has said that partitions have copies, or get them. */
  public boolean willBeReplicated() {
    return isReplicated || willBeReplicated;
  }

  /** Another node's plan has copies: this one is to take note of it, and may not yet. */
  public void heardOfReplicas() {
    willBeReplicated = true;
  }

  /** From now on nobody can be asked: this node is no member any more. */
  public synchronized void end() {
    isEnded = true;
    nodes = Map.of();
    owners = owners.stream().map(Owner::lost).toList();
  }

  public synchronized void publish(
      List<Owner> newest, Map<String, String> reachable, List<MoveProgress> moving) {
    if (isEnded) {
      return;
    }
    nodes = Map.copyOf(reachable);
    for (Owner next : newest) {
      Owner before = owner(next.partition);
      boolean isMoved = !before.node.isEmpty() && !before.node.equals(next.node);
      if (isMoved) {
        routes.changed(next.partition);
      }
    }
    // Owners first: who sees that a move is done, and then looks at the owners, sees the new one.
    owners = List.copyOf(newest);
    moves = List.copyOf(moving);
  }
}
