package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;

/**
 * Provides the partitions of a store that is distributed over nodes ({@link EmbeddedStore#over}).
 * Thread-safe.
 */
public interface PartitionProvider {
  /** All partitions by number, local and remote. They serve already; the store closes them. */
  List<PartitionAccess> partitions();

  /** The snapshots that this process holds; its own partitions respect them. */
  ActiveSnapshots active();

  /** How often this node was opened, including this time. */
  long epoch();
}
