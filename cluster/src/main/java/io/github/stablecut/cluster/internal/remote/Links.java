package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Direct connections to other nodes, in addition to Akka's. They carry small requests that change
 * nothing: a request that is unsent or unanswered when its connection breaks is resent through
 * Akka. They also carry messages between replicas, which tolerate loss. Thread-safe.
 */
@FunctionalInterface
public interface Links {
  /** The largest request or reply that is sent on a link. */
  int MAX_BYTES = TrafficBudget.SMALL_BYTES;

  /**
   * The largest message between replicas that is sent on a link. It counts towards no budget: a
   * connection holds few of them, and a replica admits one group of records at a time.
   */
  int MAX_MESSAGE_BYTES = 32 << 10;

  /** No connections: every message goes through Akka. */
  Links NONE = node -> null;

  /** Returns a connection to a node, or null if none is ready or it is full. Does not block. */
  @Nullable Link to(String node);

  /**
   * Sends a message to a replica of a partition, after that partition's earlier messages on the
   * link. The message may be lost. Does not block.
   *
   * @param message an encoded {@link io.github.stablecut.cluster.internal.wire.Request.ToReplica}
   * @return whether it was sent; if not, it may be sent another way
   */
  default boolean tell(String node, int partition, Bytes message) {
    return false;
  }

  /** A connection to a node, as the sender of requests. Thread-safe. */
  @FunctionalInterface
  interface Link {
    /**
     * Sends a request to the owner of a partition. Does not block.
     *
     * @return whether it was sent. If so and the connection breaks before the reply arrives, {@link
     *     PendingRequests#broken} is called
     */
    boolean ask(int partition, long epoch, long number, Bytes request);
  }

  /** Returns whether an encoded request may be sent on a link and answered there. */
  static boolean carry(Bytes request) {
    return !OutboundFragments.isLarge(request) && RequestCodec.isRead(request);
  }

  /** Returns whether an encoded request is a message to a replica that may be sent on a link. */
  static boolean carryMessage(Bytes request) {
    return request.length() <= MAX_MESSAGE_BYTES && RequestCodec.isForReplica(request);
  }
}
