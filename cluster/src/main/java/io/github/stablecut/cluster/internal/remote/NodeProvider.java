package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.transaction.routing.PartitionProvider;
import io.github.stablecut.internal.transaction.routing.ReplicationSetup;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The components of a node's store. Immutable.
 *
 * @param partitions all partitions of the cluster
 * @param setup the replication setup; empty if the cluster does not replicate with others
 * @param maxBytes the current limit on the journal bytes of one transaction
 * @param epoch how often the node was opened
 */
record NodeProvider(
    List<PartitionAccess> partitions,
    ActiveSnapshots active,
    Supplier<Optional<ReplicationSetup>> setup,
    NodeDataCentre dataCentre,
    IntSupplier maxBytes,
    long epoch)
    implements PartitionProvider {
  /** Copies the list. */
  NodeProvider {
    partitions = List.copyOf(partitions);
  }

  @Override
  public Optional<ReplicationSetup> replication() {
    return setup.get();
  }

  @Override
  public Optional<Membership> group() {
    return dataCentre.group();
  }

  @Override
  public int transactionBytes() {
    return maxBytes.getAsInt();
  }
}
