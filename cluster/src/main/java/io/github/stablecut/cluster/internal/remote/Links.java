package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Direct connections to other nodes, beside Akka's. They carry small requests that change nothing:
 * what is not sent, or not answered, by a connection that breaks is sent by way of Akka. And they
 * carry messages between copies, which expect that some are lost. Thread-safe.
 */
@FunctionalInterface
public interface Links {
  /** The largest request or reply that is sent this way. */
  int MAX_BYTES = TrafficBudget.SMALL_BYTES;

  /**
   * The largest message between copies that is sent this way. It counts for no budget: a connection
   * holds few of them, and a copy admits one group of records at a time.
   */
  int MAX_MESSAGE_BYTES = 32 << 10;

  /** No connections: everything goes by way of Akka. */
  Links NONE = node -> null;

  /** A connection to a node; null if none is ready, or it is full. Does not block. */
  @Nullable Link to(String node);

  /**
   * Sends a message to a copy of a partition, behind those of that partition that were sent this
   * way before. Does not block.
   *
   * @param message an encoded {@link io.github.stablecut.cluster.internal.wire.Request.ToCopy}
   * @return whether it was sent; if not, it may be sent another way. It may be lost
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
     * @return whether it was sent. If so and the connection breaks before the reply has come,
     *     {@link PendingRequests#broken} is called
     */
    boolean ask(int partition, long epoch, long number, Bytes request);
  }

  /** Whether an encoded request may be sent this way, to be answered. */
  static boolean carry(Bytes request) {
    return !OutboundFragments.isLarge(request) && RequestCodec.isRead(request);
  }

  /** Whether an encoded request is a message to a copy that may be sent this way. */
  static boolean carryMessage(Bytes request) {
    return request.length() <= MAX_MESSAGE_BYTES && RequestCodec.isForReplica(request);
  }
}
