package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends the messages of this node's replicas to those of other nodes. The nodes have equal shares
 * of the memory for large messages, from their encoding until they are with the network. A node
 * that accepts nothing therefore delays no other node. Thread-safe.
 */
final class ReplicaMessenger {
  private record TransitKey(int partition, String to) {}

  /** The memory for messages to other nodes, by node. */
  private record Memory(int nodes, Map<String, TrafficBudget> shares) {
    Memory(int nodes) {
      this(nodes, new ConcurrentHashMap<>());
    }
  }

  private final String node;
  private final PendingRequests requests;
  private final long bytes;

  private volatile Memory memory;

  /** The bytes sent, by partition. */
  private final Map<Integer, LongAdder> sent = new ConcurrentHashMap<>();

  /** The large messages that are not with the network yet. A repetition of one is dropped. */
  private final Set<TransitKey> inTransit = ConcurrentHashMap.newKeySet();

  /**
   * @param bytes the memory for large messages; a message that exceeds a share is sent alone
   */
  ReplicaMessenger(NodePlan plan, PendingRequests requests, long bytes) {
    this.node = plan.name();
    this.requests = requests;
    this.bytes = bytes;
    this.memory = new Memory(others(plan));
  }

  /** Divides the memory among the nodes that are to have replicas. */
  void place(NodePlan plan) {
    int nodes = others(plan);
    if (nodes != memory.nodes) {
      // Reservations are released to the budget that granted them.
      memory = new Memory(nodes);
    }
  }

  private static int others(NodePlan plan) {
    long others =
        plan.replicas().stream()
            .flatMap(List::stream)
            .distinct()
            .filter(name -> !name.equals(plan.name()))
            .count();
    return Math.toIntExact(Math.max(1, others));
  }

  private TrafficBudget share(String to) {
    Memory now = memory;
    return now.shares.computeIfAbsent(
        to,
        other ->
            TrafficBudgets.ofReplicas(
                "the messages of replicas on node " + node + " to node " + other,
                bytes / now.nodes));
  }

  /**
   * Sends a message that may be lost; a replica that needs an answer repeats it.
   *
   * @param refused called if the other node has dropped the message for lack of memory
   */
  void send(int partition, Request.ToReplica request, Runnable refused) {
    TransitKey key = new TransitKey(partition, request.to());
    boolean isSmall = request.largeBytes() <= TrafficBudget.SMALL_BYTES;
    if (!isSmall && !inTransit.add(key)) {
      return;
    }
    try {
      String to = Configuration.nodeOf(request.to());
      OneWayRequests.SendListener listener =
          new OneWayRequests.SendListener() {
            @Override
            public void done() {
              if (!isSmall) {
                inTransit.remove(key);
              }
            }

            @Override
            public void refused() {
              refused.run();
            }
          };
      if (requests.tellNode(to, partition, request, share(to), listener)) {
        sentBytes(partition).add(request.largeBytes());
      }
    } catch (RuntimeException | Error e) {
      // No other code reports it: for example, without memory the message never reaches the
      // network.
      if (!isSmall) {
        inTransit.remove(key);
      }
      throw e;
    }
  }

  /**
   * Returns whether a large message to a replica is not with the network yet; another one is
   * dropped.
   */
  boolean isSending(int partition, String to) {
    return inTransit.contains(new TransitKey(partition, to));
  }

  /** Returns the counter of bytes that the replicas of a partition here have sent. */
  LongAdder sentBytes(int partition) {
    return sent.computeIfAbsent(partition, number -> new LongAdder());
  }
}
