package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.recovery.DataCentreFiles;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GlobalStableVector;
import java.util.List;
import java.util.Optional;

/**
 * The place of a data centre's partitions, as far as replication needs it: a directory, and the
 * nodes that the data centre consists of. Thread-safe.
 */
public interface ReplicationHost {
  /** The identity of the store. */
  StoreIdentity identity();

  /** Whether it is a node of a cluster. */
  boolean isCluster();

  /** Durably replaces what is known of the group, and tells the other nodes. */
  void save(Membership membership);

  /** What the directory says of the data centres. */
  DataCentreFiles files();

  /** The checkpoint files of a partition that is here. */
  Directory checkpoints(int partition);

  /** The opening of the store that a time belongs to; 0 if that is not known. */
  long openingAt(long time);

  /** Up to where everything of other data centres has come to all partitions. */
  GlobalStableVector arrivals();

  /** Another node has read at a snapshot: all partitions have what of others is in it. */
  void wasShared(VectorClock snapshot);

  /** Where the node that has a partition listens for other data centres; empty if it is lost. */
  Optional<String> addressOf(int partition);

  /**
   * The addresses at which the nodes of this data centre listen for others; empty if another node
   * tells them.
   *
   * @param own that of this node
   */
  Optional<List<String>> addresses(String own);

  /**
   * Where new data centres are admitted instead of here.
   *
   * @return empty if here
   */
  Optional<String> admitsElsewhere();

  /** Whether nothing was ever written to the partitions of other nodes, as far as is known here. */
  boolean areOthersNew();

  /**
   * Has the partitions of other nodes take no transactions for a while, as the data centre leaves
   * its group. Called again and again until it does.
   *
   * @return why it can't leave yet; empty if none of these partitions takes any, and the others
   *     have all that was committed there
   */
  Optional<String> lackingElsewhere();

  /**
   * Waits until all nodes keep what the members of a group may need.
   *
   * @throws io.github.stablecut.error.ReplicationRefusedException if one of them can't be reached
   */
  void awaitKept(Membership membership);
}
