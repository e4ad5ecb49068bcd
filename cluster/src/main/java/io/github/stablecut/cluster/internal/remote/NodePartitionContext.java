package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** Builds the context that a node and its cluster provide to the node's partitions. Thread-safe. */
final class NodePartitionContext {
  private final StoreOptions options;
  private final NodeClock clock;
  private final ActiveSnapshots active;
  private final NodeDataCentre dataCentre;

  NodePartitionContext(
      StoreOptions options, NodeClock clock, ActiveSnapshots active, NodeDataCentre dataCentre) {
    this.options = options;
    this.clock = clock;
    this.active = active;
    this.dataCentre = dataCentre;
  }

  /**
   * Returns the context of a partition.
   *
   * @param at the epoch at which the partition is opened
   * @param accesses all partitions, by number
   */
  PartitionContext of(long at, LocalDataCentre local, List<PartitionAccess> accesses) {
    // Shared times come from the journals, so they survive a restart.
    UnaryOperator<VectorClock> shared =
        vector -> local.lowerOthers(vector, dataCentre.arrivals().shared().transactions());
    return PartitionContext.builder(
            at,
            clock.hybrid(),
            active,
            (partition, message) -> accesses.get(partition).receive(message))
        .elsewhere(
            SnapshotLeases.fromOpening(
                vector ->
                    vector.meet(
                        local.with(
                            dataCentre.arrivals().transactionsBefore(ageElsewhere()),
                            clock.oldestElsewhere(ageElsewhere()))),
                System::nanoTime))
        .shared(shared)
        .recorded(shared)
        .otherDataCentres(dataCentre.others(local))
        .build();
  }

  /** Returns how old transactions on other nodes may be. */
  Duration ageElsewhere() {
    return clock.ageElsewhere(options.maxTransactionAge(), options.timeouts().commit());
  }
}
