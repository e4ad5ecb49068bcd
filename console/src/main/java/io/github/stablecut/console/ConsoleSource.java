package io.github.stablecut.console;

import io.github.stablecut.Latencies;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The data that a console shows: a store and the location of its partitions. Thread-safe. */
public interface ConsoleSource {
  /** The store; it may change. */
  Store store();

  /** The store's status. */
  default StoreStatus status() {
    return store().status();
  }

  /** The title of the page: the name of the node, or the directory of the store. */
  String name();

  /** The nodes of the cluster; empty without a cluster. */
  List<Node> nodes();

  /** The cluster's partitions by number; empty without a cluster. */
  List<Partition> places();

  /** The cluster as a whole; empty without a cluster. */
  default Optional<Cluster> cluster() {
    return Optional.empty();
  }

  /** The replicas of each partition; empty if each partition exists once. */
  default List<ReplicaGroup> replicas() {
    return List.of();
  }

  /** The other data centres of the store's group; empty without any. */
  default List<DataCentre> otherDataCentres() {
    DataCentres all = store().dataCentres();
    return all.all().stream().filter(one -> one.number() != all.own()).toList();
  }

  /** The latencies of clients' requests since the start, by kind; empty without clients. */
  Map<String, Latencies> requests();

  /** Problems that the store's status does not contain. */
  List<String> warnings();

  /**
   * A node of a cluster.
   *
   * @param state such as {@code here}, {@code reachable}, {@code leaving} or {@code away}
   */
  record Node(String name, State state) {}

  /** The state of a node. */
  enum State {
    /** This node. */
    HERE,
    /** The node answers. */
    REACHABLE,
    /** The node answers and is about to leave. */
    LEAVING,
    /** The node does not answer. */
    AWAY
  }

  /**
   * The location of a partition.
   *
   * @param node the name of its owner; empty if unknown
   * @param isServing whether the owner answers
   * @param lagMillis the time since the owner's last heartbeat
   * @param move a handoff in progress
   */
  record Partition(
      int partition, String node, boolean isServing, long lagMillis, Optional<Move> move) {}

  /**
   * A cluster as a whole, as this node knows it.
   *
   * @param members the number of its nodes
   * @param reached the number of those that answer, including this one
   * @param partitions the number of its partitions
   * @param served the number of those whose owners answer
   * @param replicas the configured number of replicas of all partitions; 0 if each exists once
   * @param upToDate the number of replicas that lead, or have all that their leaders have committed
   */
  record Cluster(
      int members, int reached, int partitions, int served, int replicas, int upToDate) {}

  /**
   * The replicas of a partition.
   *
   * @param leader the name of the node that leads it; empty if unknown
   * @param replicas those that are known here
   * @param lacks why it has fewer working replicas than configured, as its leader reports
   */
  record ReplicaGroup(int partition, String leader, List<Replica> replicas, List<String> lacks) {
    /** Copies the lists. */
    public ReplicaGroup {
      replicas = List.copyOf(replicas);
      lacks = List.copyOf(lacks);
    }
  }

  /**
   * A replica of a partition.
   *
   * @param behind how many of the leader's records it lacks, if that is known
   * @param records how many records the leader has, if that is known
   */
  record Replica(String name, ReplicaState state, long behind, long records) {}

  /** The states of a replica. */
  enum ReplicaState {
    /** Orders commits. */
    LEADS,
    /** Votes, and has all records. */
    UP_TO_DATE,
    /** Votes, and lacks records. */
    BEHIND,
    /** Receives the log, and does not vote yet. */
    LEARNS,
    /** Sends no messages. */
    SILENT,
    /** Accepts no records, as its disk is nearly full. */
    FULL,
    /** Has failed, and is reopened. */
    FAILED,
    /** Votes; only its leader knows how far it is. */
    VOTES
  }

  /**
   * A handoff of a partition.
   *
   * @param to the name of the receiver
   * @param percent the part that the receiver has
   */
  record Move(String to, int percent) {}
}
