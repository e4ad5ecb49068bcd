package io.github.stablecut.cluster.internal.membership;

import java.util.function.Predicate;

/**
 * Two clusters whose nodes were told to be one: which of them stays, and what their operators are
 * told.
 */
public final class CompetingClusters {
  private CompetingClusters() {}

  /**
   * Whether a node's cluster gives way to another.
   *
   * <p>Of two clusters without a store, the one with the first seed stays: no other node makes a
   * store, and if it is its own only seed, it would not find the other cluster after a restart. To
   * a cluster with another store, a cluster gives way only if the other one's node is a seed of
   * this one: a cluster does not end because strangers know it.
   *
   * @param seeds those of the node
   * @param isReachable whether the node reaches the member at an address
   */
  static boolean givesWay(
      ClusterSummary own, ClusterSummary other, Seeds seeds, Predicate<String> isReachable) {
    if (own.storeId() == 0 && other.storeId() == 0) {
      if (seeds.isFirst() || isReachable.test(seeds.first())) {
        return false;
      } else if (seeds.first().equals(other.address())) {
        return true;
      }
    }
    return own.givesWayTo(other)
        && (!own.isOfOtherStore(other) || seeds.others().contains(other.address()));
  }

  /** What there is to say of two clusters. */
  public static String problem(String node, ClusterSummary own, ClusterSummary other) {
    return own.isOfOtherStore(other)
        ? "there are two clusters: node %s is in that of store %016x with %d nodes, and the node at %s in that of store %016x with %d, though they were told to be one; what each has acknowledged is in the directories of its nodes only: have all nodes name the same seeds, and either export one store (stablecut cluster export, from nodes that name only each other) and start its nodes with empty directories, or keep two clusters that do not name each other"
            .formatted(
                node, own.storeId(), own.nodes(), other.address(), other.storeId(), other.nodes())
        : "node %s and the node at %s are in different clusters, of %d and %d members, because they could not reach each other when one of these began: start the nodes of the smaller one again"
            .formatted(node, other.address(), own.nodes(), other.nodes());
  }
}
