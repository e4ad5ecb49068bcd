package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;
import java.util.Optional;

/**
 * Provides the partitions of a store that is distributed over nodes ({@link EmbeddedStore#over}).
 * Thread-safe.
 */
public interface PartitionProvider {
  /** All partitions by number, local and remote. They serve already; the store closes them. */
  List<PartitionAccess> partitions();

  /** The snapshots that this process holds; its own partitions respect them. */
  ActiveSnapshots active();

  /** How the store is a data centre among others; empty if this node exchanges nothing. */
  default Optional<ReplicationSetup> replication() {
    return Optional.empty();
  }

  /** The group that the store belongs to, as far as this node knows; empty if it is alone. */
  default Optional<Membership> group() {
    return Optional.empty();
  }

  /** The most that one transaction may put into journals, as this node knows now. */
  int transactionBytes();

  /** How often this node was opened, including this time. */
  long epoch();
}
