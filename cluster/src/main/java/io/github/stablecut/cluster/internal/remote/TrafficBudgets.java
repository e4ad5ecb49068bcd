package io.github.stablecut.cluster.internal.remote;

/**
 * The memory for messages between this node and the others, with a share for each direction. A
 * reply never waits for memory that a request holds, and a replica's message waits for neither.
 * Thread-safe.
 *
 * @param requestsOut unanswered requests of this node
 * @param requestsIn requests of other nodes, complete or not, until they are executed
 * @param answersOut replies to other nodes, until they are sent
 * @param answersIn replies of other nodes, complete or not, until they are decoded
 * @param replicaMessagesIn messages to replicas of this node, complete or not, until they are
 *     handled
 */
public record TrafficBudgets(
    TrafficBudget requestsOut,
    TrafficBudget requestsIn,
    TrafficBudget answersOut,
    TrafficBudget answersIn,
    TrafficBudget replicaMessagesIn) {
  /** The first four together take at most this fraction of the heap, as messages are copied. */
  private static final int PART_OF_HEAP = 8;

  private static final int DIRECTIONS = 4;

  /** Equal shares of an amount of memory, limited by the heap. */
  public static TrafficBudgets of(String node, long bytes) {
    long heap = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
    return shared(node, Math.min(bytes, heap) / DIRECTIONS);
  }

  /**
   * Returns the memory for replicas' messages in one direction. Clients' commits wait for these
   * messages, so they never wait for memory that requests hold.
   */
  static long replicaMessageBytes() {
    return Runtime.getRuntime().maxMemory() / PART_OF_HEAP / DIRECTIONS;
  }

  /** Returns the memory for replicas' messages. Those in one frame are not counted. */
  static TrafficBudget ofReplicas(String of, long bytes) {
    return new TrafficBudget(of, bytes, Long.MAX_VALUE, Links.MAX_MESSAGE_BYTES);
  }

  /** Returns four shares of the given number of bytes each. */
  public static TrafficBudgets shared(String node, long bytes) {
    return new TrafficBudgets(
        // A waiting request is not encoded yet.
        new TrafficBudget(
            "the requests of node " + node + " to other nodes", bytes, Long.MAX_VALUE),
        new TrafficBudget("the requests of other nodes to node " + node, bytes, 0),
        // A waiting reply holds versions of objects in memory.
        new TrafficBudget("the replies of node " + node + " to other nodes", bytes, bytes),
        new TrafficBudget("the replies of other nodes to node " + node, bytes, 0),
        ofReplicas("the messages to replicas on node " + node, replicaMessageBytes()));
  }
}
