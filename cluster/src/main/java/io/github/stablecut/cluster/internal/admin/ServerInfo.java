package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/** What the server tells of itself, and what operators may have it do. Thread-safe. */
public interface ServerInfo {
  /** How many clients are connected. */
  int connections();

  /** How many interactive transactions are open. */
  int transactions();

  /** The number of handles that clients have open, by kind: pin, scan and watch. */
  Map<String, Integer> handles();

  /** Why it doesn't serve as it should; empty if it does. */
  Optional<String> trouble();

  /** What operators should know of though it serves. */
  List<String> warnings();

  /** The store's figures. */
  StoreStatus store();

  /** The directory of the store. */
  Path directory();

  /** The data centres that it is one of, and what it does with them. */
  DataCentreCommands dataCentre();

  /** Where the partitions of the cluster are; empty if the store is in no cluster. */
  List<PartitionLocation> partitions();

  /** This node's copies of partitions; empty if each partition exists once. */
  List<PartitionReplicaLocation> replicas();

  /**
   * What the newest checkpoints of this node's copies hold; empty if each partition exists once.
   *
   * @param progress hears how many objects of a partition were read so far, and may throw
   */
  List<PartitionReplicaDigest> digests(LongConsumer progress);

  /** The names of the cluster's nodes that can be reached; empty if the store is in no cluster. */
  Set<String> nodes();

  /** The names of the nodes that can be reached and are about to leave the cluster. */
  Set<String> leaving();

  /** The addresses of the cluster's members, also of those that can't be reached. */
  Set<String> members();

  /** This node's name; empty if the store is in no cluster. */
  Optional<String> node();

  /**
   * Begins to move a partition.
   *
   * @return the move's number
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be done
   */
  long move(int partition, String node);

  /**
   * Has no partition moved to this node for a while.
   *
   * @param time for how long; zero to take partitions again
   * @throws io.github.stablecut.cluster.MoveRefusedException if one is being moved to it
   */
  void announceLeave(String by, Duration time);

  /**
   * Has another node take the place of one that is lost for ever.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be
   */
  void replace(String lost, String by);

  /**
   * Has each partition get so many copies, or give some up.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be
   */
  void changeReplicas(int number);

  /**
   * Has copies spread evenly over all nodes.
   *
   * @param without a node that is to have none
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be
   */
  void spreadReplicas(Optional<String> without);

  /** How many copies each partition is to have; 0 if they exist once, without a register. */
  int replicationFactor();

  /** The zones of reachable nodes that have said one, by the nodes' names. */
  Map<String, String> zones();

  /** How many partitions are to have copies in fewer zones than they could be in. */
  int replicasNotSpread();

  /** How many copies on reachable nodes lead, or have all that their leaders have committed. */
  int replicasUpToDate();

  /** Whether this node is to keep a part of the register of layouts. */
  boolean keepsRegister();

  /** Who keeps the register of layouts; empty if there is none. */
  Optional<RegisterLocation> registerPlace();

  /**
   * The partitions that begin anew if nodes are forgotten.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be
   */
  Set<Integer> lostWith(Set<String> nodes);

  /**
   * Forgets nodes that are lost for ever.
   *
   * @param partitions those that begin anew
   * @throws io.github.stablecut.cluster.MoveRefusedException if that can't be, or these are others
   */
  void forget(Set<String> nodes, Set<Integer> partitions);

  /**
   * Has this node leave the cluster.
   *
   * @throws io.github.stablecut.cluster.MoveRefusedException if it has partitions
   */
  void leave();
}
