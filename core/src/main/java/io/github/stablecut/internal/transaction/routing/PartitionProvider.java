package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;
import java.util.Optional;

/**
 * Provides the partitions of a store that is distributed over nodes ({@link EmbeddedStore#over}).
 * Thread-safe.
 */
public interface PartitionProvider {
  /** All partitions by number, local and remote. They are started; the store closes them. */
  List<PartitionAccess> partitions();

  /** The active snapshots of this process; its own partitions keep them readable. */
  ActiveSnapshots active();

  /** The replication with other data centres; empty if this node does not replicate. */
  default Optional<ReplicationSetup> replication() {
    return Optional.empty();
  }

  /**
   * The group that the store belongs to, as far as this node knows; empty if it belongs to none.
   */
  default Optional<Membership> group() {
    return Optional.empty();
  }

  /** The most bytes that one transaction may write to journals, as far as this node knows now. */
  int transactionBytes();

  /** Returns the number of this node's openings, including this one. */
  long epoch();
}
