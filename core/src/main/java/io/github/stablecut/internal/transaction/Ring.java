package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;

/**
 * The partitions of a store that is on several nodes: what a cluster gives to the store over it
 * ({@link EmbeddedStore#over}). Thread-safe.
 */
public interface Ring {
  /** All partitions by number, wherever they are; they serve, and are closed with the store. */
  List<PartitionAccess> partitions();

  /** What this process claims; the partitions in this process know of it. */
  ActiveSnapshots active();

  /** How often this node was opened, this time included. */
  long epoch();
}
