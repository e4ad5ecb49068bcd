package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node's state, which it sends to all members with each heartbeat. Immutable; created by a {@link
 * Builder}.
 *
 * @param protocol the version of the message protocol
 * @param name the node's name
 * @param address the node's address, as {@code host:port}
 * @param clock the node's time, at or above all commits that it knows to be acknowledged
 * @param partitions the number of partitions that it is set to, for a new and an existing store; 0
 *     for any
 * @param formWith the number of nodes that it is set to form a new cluster with; 0 if unset
 * @param replicas the number of replicas of each partition that it is set to, for a new and an
 *     existing cluster; 0 if unset
 * @param plan the plan of its cluster; empty before it has one
 * @param owned the owners of partitions that it knows
 * @param moves the moves of partitions to this node
 * @param isObserver whether it is an observer, which never has partitions
 * @param isLeaving whether it accepts no partitions, because it is leaving the cluster
 * @param objectTypes the object types whose operations it executes
 * @param dataCentre its knowledge of other data centres; empty if it exchanges nothing with them
 * @param openings the openings of directories that it knows
 * @param clients its address for clients, as {@code host:port}; empty if it has none
 * @param zone its failure zone; empty if unset
 * @param replicasUpToDate the number of its replicas that lead, or follow and are up to date
 * @param shortages the partitions that it leads with fewer working replicas than configured
 * @param served the partitions that it serves; it may own others without serving them
 * @param links its data port, and its run; empty before it is open
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
    List<ReplicaShortage> shortages,
    List<Integer> served,
    String links) {
  /** The protocol version of this program. */
  public static final int PROTOCOL = 31;

  /**
   * A known owner of a partition.
   *
   * @param node the owner's name
   * @param epoch the partition's epoch; an ownership of a greater epoch replaces this one
   */
  public record Ownership(int partition, String node, long epoch) {}

  /** Copies the lists. */
  public GossipedNodeState {
    owned = List.copyOf(owned);
    moves = List.copyOf(moves);
    objectTypes = List.copyOf(objectTypes);
    shortages = List.copyOf(shortages);
    served = List.copyOf(served);
  }

  /**
   * Starts the state of a node with this program's protocol and nothing else set.
   *
   * @param clock the node's time, as a timestamp
   */
  public static Builder builder(String name, String address, long clock) {
    return new Builder(name, address, clock);
  }

  /** A builder with the components of this state. */
  public Builder toBuilder() {
    return new Builder(name, address, clock)
        .protocol(protocol)
        .partitions(partitions)
        .formWith(formWith)
        .replicas(replicas)
        .plan(plan)
        .owned(owned)
        .moves(moves)
        .isObserver(isObserver)
        .isLeaving(isLeaving)
        .objectTypes(objectTypes)
        .dataCentre(dataCentre)
        .openings(openings)
        .clients(clients)
        .zone(zone)
        .replicasUpToDate(replicasUpToDate)
        .shortages(shortages)
        .served(served)
        .links(links);
  }

  /**
   * This state with the known owners of other partitions. If two owners of a partition are known,
   * the greater epoch wins, and this state's owner at equal epochs.
   */
  GossipedNodeState with(List<Ownership> known) {
    List<Ownership> all = new ArrayList<>(known);
    for (Ownership own : owned) {
      all.removeIf(one -> one.partition() == own.partition() && one.epoch() <= own.epoch());
      if (all.stream().noneMatch(one -> one.partition() == own.partition())) {
        all.add(own);
      }
    }
    return toBuilder().owned(all).build();
  }

  /**
   * Builds a {@link GossipedNodeState}. Its methods set the components of the same names; without
   * them, numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final String name;
    private final String address;
    private final long clock;
    private int protocol = PROTOCOL;
    private int partitions;
    private int formWith;
    private int replicas;
    private Optional<NodePlan> plan = Optional.empty();
    private List<Ownership> owned = List.of();
    private List<MoveProgress> moves = List.of();
    private boolean isObserver;
    private boolean isLeaving;
    private List<String> objectTypes = List.of();
    private Optional<GossipedDataCentres> dataCentre = Optional.empty();
    private DirectoryOpenings openings = DirectoryOpenings.NONE;
    private String clients = "";
    private String zone = "";
    private int replicasUpToDate;
    private List<ReplicaShortage> shortages = List.of();
    private List<Integer> served = List.of();
    private String links = "";

    private Builder(String name, String address, long clock) {
      this.name = name;
      this.address = address;
      this.clock = clock;
    }

    @CanIgnoreReturnValue
    public Builder protocol(int protocol) {
      this.protocol = protocol;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder partitions(int partitions) {
      this.partitions = partitions;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder formWith(int formWith) {
      this.formWith = formWith;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder replicas(int replicas) {
      this.replicas = replicas;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder plan(Optional<NodePlan> plan) {
      this.plan = plan;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder owned(List<Ownership> owned) {
      this.owned = owned;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder moves(List<MoveProgress> moves) {
      this.moves = moves;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isObserver(boolean isObserver) {
      this.isObserver = isObserver;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isLeaving(boolean isLeaving) {
      this.isLeaving = isLeaving;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder objectTypes(List<String> objectTypes) {
      this.objectTypes = objectTypes;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder dataCentre(Optional<GossipedDataCentres> dataCentre) {
      this.dataCentre = dataCentre;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder openings(DirectoryOpenings openings) {
      this.openings = openings;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder clients(String clients) {
      this.clients = clients;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder zone(String zone) {
      this.zone = zone;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder replicasUpToDate(int replicasUpToDate) {
      this.replicasUpToDate = replicasUpToDate;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder shortages(List<ReplicaShortage> shortages) {
      this.shortages = shortages;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder served(List<Integer> served) {
      this.served = served;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder links(String links) {
      this.links = links;
      return this;
    }

    /** Creates the state. */
    public GossipedNodeState build() {
      return new GossipedNodeState(
          protocol,
          name,
          address,
          clock,
          partitions,
          formWith,
          replicas,
          plan,
          owned,
          moves,
          isObserver,
          isLeaving,
          objectTypes,
          dataCentre,
          openings,
          clients,
          zone,
          replicasUpToDate,
          shortages,
          served,
          links);
    }
  }
}
