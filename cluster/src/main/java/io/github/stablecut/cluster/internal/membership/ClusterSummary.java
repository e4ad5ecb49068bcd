package io.github.stablecut.cluster.internal.membership;

/**
 * A node's cluster. With it, two clusters that should be one detect each other, and agree on which
 * of them stays. Immutable.
 *
 * @param address the node's address
 * @param uid distinguishes the node from earlier ones at its address, for Akka
 * @param storeId the store that its cluster serves; 0 before it has one
 * @param nodes the number of reachable nodes of its cluster, including itself, without observers
 * @param ageMillis how long the node has been a member
 */
public record ClusterSummary(String address, long uid, long storeId, int nodes, long ageMillis) {
  /** Ages that differ by less count as equal, because of the latency of messages. */
  private static final long SAME_AGE_MILLIS = 1_000;

  /** Whether the two clusters have different stores. */
  boolean isOfOtherStore(ClusterSummary other) {
    return storeId != 0 && other.storeId != 0 && storeId != other.storeId;
  }

  /**
   * Whether this node's cluster gives way to another one. The cluster without a store gives way,
   * then the smaller, then the younger one.
   */
  boolean givesWayTo(ClusterSummary other) {
    if ((storeId == 0) != (other.storeId == 0)) {
      return storeId == 0;
    } else if (nodes != other.nodes) {
      return nodes < other.nodes;
    } else if (Math.abs(ageMillis - other.ageMillis) >= SAME_AGE_MILLIS) {
      return ageMillis < other.ageMillis;
    }
    return address.compareTo(other.address) > 0;
  }
}
