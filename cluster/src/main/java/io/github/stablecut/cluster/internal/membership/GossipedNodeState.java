package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who and how a node is, as it tells the others. Immutable.
 *
 * @param protocol the version of the messages that it understands
 * @param name the node's
 * @param address where it listens, as {@code host:port}
 * @param clock its time, as a timestamp at or above all commits that it knows to be acknowledged
 * @param partitions how many it wants a new store to have, and an old one must; 0 for any
 * @param formWith with how many nodes it wants a new cluster to be made; 0 if it was not told
 * @param replicas how many of each partition it wants a new cluster to have, and an old one must; 0
 *     if it was not told
 * @param plan the cluster that it belongs to; empty if to none yet
 * @param owned what it knows of who owns which partition
 * @param moves of partitions to it
 * @param isObserver whether it never has partitions
 * @param isLeaving whether it takes no partitions, because it leaves the cluster
 * @param objectTypes the types of objects whose operations it executes for others
 * @param dataCentre what it knows of other data centres; empty if it exchanges nothing with them
 * @param openings what it knows of openings of directories
 * @param clients where its server listens for clients, as {@code host:port}; empty if it has none
 * @param zone what it fails together with; empty if it was told none
 * @param replicasUpToDate how many copies it has that lead, or follow and lack nothing
 * @param served the partitions that it serves, which it need not do though it has owned them last
 * @param links where it accepts direct connections, and in which run; empty if nowhere
 */
public record GossipedNodeState(
    int protocol,
    String name,
    String address,
    long clock,
    int partitions,
    int formWith,
    int replicas,
    Optional<NodePlan> plan,
    List<Ownership> owned,
    List<MoveProgress> moves,
    boolean isObserver,
    boolean isLeaving,
    List<String> objectTypes,
    Optional<GossipedDataCentres> dataCentre,
    DirectoryOpenings openings,
    String clients,
    String zone,
    int replicasUpToDate,
    List<Integer> served,
    String links) {
  /** The version of the messages that this program understands. */
  public static final int PROTOCOL = 29;

  /**
   * Who owned a partition when it was heard of last.
   *
   * @param epoch the partition's; the greatest counts
   */
  public record Ownership(int partition, String node, long epoch) {}

  public GossipedNodeState {
    owned = List.copyOf(owned);
    moves = List.copyOf(moves);
    objectTypes = List.copyOf(objectTypes);
    served = List.copyOf(served);
  }

  /**
   * A node that was told no number of copies, executes no operations of objects, and has no
   * clients, data centres and copies.
   */
  public GossipedNodeState(
      int protocol,
      String name,
      String address,
      long clock,
      int partitions,
      int formWith,
      Optional<NodePlan> plan,
      List<Ownership> owned,
      List<MoveProgress> moves,
      boolean isObserver,
      boolean isLeaving) {
    this(
        protocol,
        name,
        address,
        clock,
        partitions,
        formWith,
        0,
        plan,
        owned,
        moves,
        isObserver,
        isLeaving,
        List.of(),
        Optional.empty(),
        DirectoryOpenings.NONE,
        "",
        "",
        0,
        List.of(),
        "");
  }

  /**
   * The same with what the node knows of other partitions; of two that say who owns one, the
   * greater epoch counts, and the node's own of equal ones.
   */
  GossipedNodeState with(List<Ownership> known) {
    List<Ownership> all = new ArrayList<>(known);
    for (Ownership own : owned) {
      boolean unused =
          all.removeIf(one -> one.partition() == own.partition() && one.epoch() <= own.epoch());
      if (all.stream().noneMatch(one -> one.partition() == own.partition())) {
        all.add(own);
      }
    }
    return new GossipedNodeState(
        protocol,
        name,
        address,
        clock,
        partitions,
        formWith,
        replicas,
        plan,
        all,
        moves,
        isObserver,
        isLeaving,
        objectTypes,
        dataCentre,
        openings,
        clients,
        zone,
        replicasUpToDate,
        served,
        links);
  }
}
