package io.github.stablecut.cluster.internal.remote;

/**
 * The memory for what is between this node and the others. Each direction has a share of its own:
 * an answer never waits for memory that only another answer could free. Thread-safe.
 *
 * @param requestsOut requests of this node that are not answered
 * @param requestsIn requests of other nodes that have come, in part perhaps, and are not begun
 * @param answersOut answers to other nodes that these have not taken
 * @param answersIn answers of other nodes that have come, in part perhaps, and are not read
 */
public record TrafficBudgets(
    TrafficBudget requestsOut,
    TrafficBudget requestsIn,
    TrafficBudget answersOut,
    TrafficBudget answersIn) {
  /** What all four take together is at most this part of the heap: copies are made of it. */
  private static final int PART_OF_HEAP = 8;

  private static final int DIRECTIONS = 4;

  /** Equal shares of some memory, and of a part of the heap at most. */
  public static TrafficBudgets of(String node, long bytes) {
    long heap = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
    return shared(node, Math.min(bytes, heap) / DIRECTIONS);
  }

  /** Shares of some bytes each. */
  public static TrafficBudgets shared(String node, long bytes) {
    return new TrafficBudgets(
        // Who waits has nothing encoded yet.
        new TrafficBudget("what node " + node + " asks other nodes", bytes, Long.MAX_VALUE),
        new TrafficBudget("what other nodes ask node " + node, bytes, 0),
        // Who waits has a version of an object in memory.
        new TrafficBudget("the answers of node " + node + " to other nodes", bytes, bytes),
        new TrafficBudget("the answers of other nodes to node " + node, bytes, 0));
  }
}
