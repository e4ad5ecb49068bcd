package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/** A server's state, and the changes that administrators can request. Thread-safe. */
public interface ServerInfo {
  /** The number of connected clients. */
  int connections();

  /** The number of open interactive transactions. */
  int transactions();

  /** The number of handles that clients have open, by kind: pin, scan and watch. */
  Map<String, Integer> handles();

  /** Returns the reason why the server is not ready; empty if it is. */
  Optional<String> trouble();

  /** Warnings for administrators while the server serves. */
  List<String> warnings();

  /** The store's figures. */
  StoreStatus store();

  /** The directory of the store. */
  Path directory();

  /** The group of data centres that the server belongs to, and the commands on it. */
  DataCentreCommands dataCentre();

  /** The locations of the cluster's partitions; empty if the server is not a cluster node. */
  List<PartitionLocation> partitions();

  /** This node's replicas of partitions; empty if each partition exists once. */
  List<PartitionReplicaLocation> replicas();

  /**
   * Digests of the newest checkpoints of this node's replicas; empty if each partition exists once.
   *
   * @param progress receives the number of objects of a partition read so far; may throw
   */
  List<PartitionReplicaDigest> digests(LongConsumer progress);

  /** The names of the reachable cluster nodes; empty if the server is not a cluster node. */
  Set<String> nodes();

  /** The names of the reachable nodes that are about to leave the cluster. */
  Set<String> leaving();

  /** The addresses of the cluster's members, including unreachable ones. */
  Set<String> members();

  /** This node's name; empty if the server is not a cluster node. */
  Optional<String> node();

  /**
   * Starts moving a partition.
   *
   * @return the move's number
   * @throws io.github.stablecut.cluster.MoveRefusedException if the move is refused
   */
  long move(int partition, String node);

  /**
   * Makes this node refuse partitions for a while.
   *
   * @param by identifies the announcer
   * @param time for how long; zero withdraws the announcement
   * @throws io.github.stablecut.cluster.MoveRefusedException if a partition is being moved to the
   *     node
   */
  void announceLeave(String by, Duration time);

  /**
   * Replaces a node that is permanently lost by another one.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if the replacement is refused
   */
  void replace(String lost, String by);

  /**
   * Changes the number of replicas of each partition.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if the change is refused
   */
  void changeReplicas(int number);

  /**
   * Spreads the replicas evenly over all nodes.
   *
   * @param without a node that gives up its replicas
   * @throws io.github.stablecut.cluster.MoveRefusedException if the change is refused
   */
  void spreadReplicas(Optional<String> without);

  /** The configured number of replicas of each partition; 0 without a configuration register. */
  int replicationFactor();

  /** The zones of the reachable nodes that have one, by the nodes' names. */
  Map<String, String> zones();

  /** The number of partitions with replicas in fewer zones than possible. */
  int replicasNotSpread();

  /**
   * The number of replicas on reachable nodes that lead, or have all records committed by their
   * leaders.
   */
  int replicasUpToDate();

  /** The partitions with fewer working replicas than configured, by number. */
  List<ReplicaShortage> shortages();

  /** Whether this node is a planned member of the configuration register. */
  boolean keepsRegister();

  /** The members of the configuration register; empty if there is none. */
  Optional<RegisterLocation> registerLocation();

  /**
   * The partitions that restart empty if nodes are forgotten.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if the nodes can't be forgotten
   */
  Set<Integer> partitionsLostWith(Set<String> nodes);

  /**
   * Forgets nodes that are permanently lost.
   *
   * @param partitions the partitions that restart empty
   * @throws io.github.stablecut.cluster.MoveRefusedException if the nodes can't be forgotten, or
   *     that set has changed
   */
  void forget(Set<String> nodes, Set<Integer> partitions);

  /**
   * Makes this node leave the cluster.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if the node has partitions
   */
  void leave();
}
