package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.recovery.DataCentreFiles;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GlobalStableVector;
import java.util.List;
import java.util.Optional;

/**
 * The functions of a data centre's node that replication needs: its directory, and the other nodes.
 * Thread-safe.
 */
public interface ReplicationHost {
  /** The identity of the store. */
  StoreIdentity identity();

  /** Whether it is a node of a cluster. */
  boolean isCluster();

  /** Durably saves the group's membership and distributes it to the other nodes. */
  void save(Membership membership);

  /** The files of the directory that describe the group. */
  DataCentreFiles files();

  /** The checkpoint files of a local partition. */
  Directory checkpoints(int partition);

  /** The opening of the store that a time belongs to; 0 if unknown. */
  long openingAt(long time);

  /** The vector up to which all partitions have everything from other data centres. */
  GlobalStableVector arrivals();

  /**
   * Records that another node has read at a snapshot: all partitions have its transactions of other
   * data centres.
   */
  void wasShared(VectorClock snapshot);

  /**
   * The address at which a partition's owner listens for other data centres; empty if there is no
   * owner.
   */
  Optional<String> addressOf(int partition);

  /**
   * The addresses at which the nodes of this data centre listen for others; empty if another node
   * announces them.
   *
   * @param own the address of this node
   */
  Optional<List<String>> addresses(String own);

  /**
   * The address where new data centres are admitted instead of here.
   *
   * @return empty if this node admits them
   */
  Optional<String> admitsElsewhere();

  /**
   * Whether nothing was ever written to the partitions of other nodes, as far as this node knows.
   */
  boolean areOthersNew();

  /**
   * Temporarily stops transactions on other nodes' partitions while the data centre leaves its
   * group. Called repeatedly until it has left.
   *
   * @return why it can't leave yet; empty if these partitions accept no transactions and the other
   *     data centres have all their commits
   */
  Optional<String> lackingElsewhere();

  /**
   * Waits until all nodes retain what the members of a group may need.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if one of them can't be reached
   */
  void awaitKept(Membership membership);
}
