package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.recovery.Membership;
import java.util.List;
import java.util.Optional;

/**
 * What a node knows of the data centres that its cluster is one of. Immutable.
 *
 * @param address where it listens for other data centres; empty while it does not yet
 * @param group the data centres; empty while it does not know
 * @param shared what has come to all partitions
 * @param arrived what has come to those that the node has
 * @param wanted times of other data centres that readers of the node wait for; zero if none does
 */
public record GossipedDataCentres(
    String address,
    Optional<Membership> group,
    Shared shared,
    List<Arrived> arrived,
    VectorClock wanted) {
  /**
   * What has come from other data centres to all partitions, durably. Only grows, whoever tells it.
   *
   * @param times up to when everything is there; the entry of this data centre is 0
   * @param transactions the last transactions up to there
   */
  public record Shared(VectorClock times, VectorClock transactions) {
    /** Nothing. */
    public static final Shared NOTHING = new Shared(VectorClock.ZERO, VectorClock.ZERO);

    Shared join(Shared other) {
      return new Shared(times.join(other.times), transactions.join(other.transactions));
    }
  }

  /**
   * What has come from other data centres to a partition, durably.
   *
   * @param times up to when everything is there; the entry of this data centre is 0
   * @param transactions the last transactions there, read after the times; the entry of this data
   *     centre is its last commit
   */
  public record Arrived(int partition, VectorClock times, VectorClock transactions) {}

  /** Whether the cluster is one of several data centres, as far as the node knows. */
  public boolean isAmongOthers() {
    return group.filter(known -> !known.isAlone()).isPresent();
  }

  /** Copies the list. */
  public GossipedDataCentres {
    arrived = List.copyOf(arrived);
  }
}
