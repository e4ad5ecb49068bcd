package io.github.stablecut.cluster.internal.membership;

import java.util.function.Predicate;

/** Decides which of two clusters with common seeds stays, and describes the problem. Stateless. */
public final class CompetingClusters {
  private CompetingClusters() {}

  /**
   * Whether a node's cluster gives way to another one.
   *
   * <p>Of two clusters without a store, the one with the first seed stays: no other node creates a
   * store, and if that seed is its own only seed, it would not find the other cluster after a
   * restart. To a cluster with another store, a cluster gives way only if the other cluster's node
   * is one of its seeds: a cluster does not end because unrelated nodes know it.
   *
   * @param seeds the seeds of the node
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

  /** A message for the administrators of both clusters. */
  public static String problem(String node, ClusterSummary own, ClusterSummary other) {
    return own.isOfOtherStore(other)
        ? "there are two clusters: node %s is in that of store %016x with %d nodes, and the node at %s in that of store %016x with %d, although they have common seeds; each cluster's commits are only in the directories of its own nodes: set the same seeds on all nodes; either export one store (stablecut cluster export, from nodes with only each other as seeds) and start its nodes with empty directories; or keep two clusters without common seeds"
            .formatted(
                node, own.storeId(), own.nodes(), other.address(), other.storeId(), other.nodes())
        : "node %s and the node at %s are in different clusters, of %d and %d members, because they could not reach each other when one of these started: restart the nodes of the smaller one"
            .formatted(node, other.address(), own.nodes(), other.nodes());
  }
}
