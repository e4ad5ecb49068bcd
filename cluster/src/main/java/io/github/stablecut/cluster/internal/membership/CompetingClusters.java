package io.github.stablecut.cluster.internal.membership;

import java.util.List;

/**
 * Two clusters whose nodes were told to be one: which of them stays, and what their operators are
 * told.
 */
public final class CompetingClusters {
  private CompetingClusters() {}

  /**
   * Whether a node's cluster gives way to another. To one with another store only if the node was
   * told that the other one's node is a seed: a cluster does not end because strangers know it.
   *
   * @param seeds that the node was told
   */
  public static boolean givesWay(ClusterSummary own, ClusterSummary other, List<String> seeds) {
    return own.givesWayTo(other) && (!own.isOfOtherStore(other) || seeds.contains(other.address()));
  }

  /** What there is to say of two clusters. */
  public static String problem(String node, ClusterSummary own, ClusterSummary other) {
    return own.isOfOtherStore(other)
        ? "there are two clusters: node %s is in that of store %016x with %d nodes, and the node at %s in that of store %016x with %d, though they were told to be one; what each has acknowledged is in the directories of its nodes only: have all nodes name the same seeds, and either export one store (./stablecut cluster export, from nodes that name only each other) and start its nodes with empty directories, or keep two clusters that do not name each other"
            .formatted(
                node, own.storeId(), own.nodes(), other.address(), other.storeId(), other.nodes())
        : "node %s and the node at %s are in different clusters, of %d and %d members, because they could not reach each other when one of these began: start the nodes of the smaller one again"
            .formatted(node, other.address(), own.nodes(), other.nodes());
  }
}
