package io.github.stablecut.cluster.internal.membership;

/**
 * Which cluster a node is a member of, so that two clusters that should be one find out, and agree
 * which of them stays. Immutable.
 *
 * @param address the node's
 * @param uid what Akka tells the node by from others that had its address before
 * @param storeId the store that its cluster serves; 0 if none was made yet
 * @param nodes how many nodes of its cluster it reaches, itself among them, without visitors
 * @param ageMillis how long it has been a member
 */
public record ClusterSummary(String address, long uid, long storeId, int nodes, long ageMillis) {
  /** Ages that differ by less are the same: the messages that tell them take a while. */
  private static final long SAME_AGE_MILLIS = 1_000;

  /** Whether both clusters have a store, and not the same one. */
  boolean isOfOtherStore(ClusterSummary other) {
    return storeId != 0 && other.storeId != 0 && storeId != other.storeId;
  }

  /**
   * Whether this node's cluster gives way to another one: that without a store, then the smaller,
   * then the younger one.
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
