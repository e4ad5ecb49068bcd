package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.recovery.Membership;
import java.util.List;
import java.util.Optional;

/**
 * A node's knowledge of the data centres with which its cluster replicates. Immutable.
 *
 * @param address the node's address for other data centres; empty until it listens
 * @param group the data centres; empty until the node knows them
 * @param cluster the progress of the whole cluster
 * @param partitions the progress of the node's partitions
 * @param awaited the times of other data centres that readers of the node wait for; zero if none
 *     does
 */
public record GossipedDataCentres(
    String address,
    Optional<Membership> group,
    ClusterProgress cluster,
    List<PartitionProgress> partitions,
    VectorClock awaited) {
  /**
   * The durable progress of all partitions with other data centres. It only grows, on all nodes.
   *
   * @param times the times up to which all partitions are complete; 0 for this data centre
   * @param transactions the last transactions up to these times
   */
  public record ClusterProgress(VectorClock times, VectorClock transactions) {
    /** No progress. */
    public static final ClusterProgress NOTHING =
        new ClusterProgress(VectorClock.ZERO, VectorClock.ZERO);

    ClusterProgress join(ClusterProgress other) {
      return new ClusterProgress(times.join(other.times), transactions.join(other.transactions));
    }
  }

  /**
   * The durable progress of a partition with other data centres.
   *
   * @param times the times up to which the partition is complete; 0 for this data centre
   * @param transactions the last received transactions, read after the times; for this data centre,
   *     the last commit
   */
  public record PartitionProgress(int partition, VectorClock times, VectorClock transactions) {}

  /** Whether the cluster replicates with other data centres, as far as the node knows. */
  public boolean isAmongOthers() {
    return group.filter(known -> !known.isAlone()).isPresent();
  }

  /** Copies the list. */
  public GossipedDataCentres {
    partitions = List.copyOf(partitions);
  }
}
