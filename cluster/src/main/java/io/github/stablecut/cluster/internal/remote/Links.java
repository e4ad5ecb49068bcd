package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Direct connections to other nodes, beside Akka's, for small requests that change nothing: what is
 * not sent, or not answered, by a connection that breaks is sent by way of Akka. Thread-safe.
 */
@FunctionalInterface
public interface Links {
  /** The largest request or reply that is sent this way. */
  int MAX_BYTES = TrafficBudget.SMALL_BYTES;

  /** No connections: everything goes by way of Akka. */
  Links NONE = node -> null;

  /** A connection to a node; null if none is ready, or it is full. Does not block. */
  @Nullable Link to(String node);

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

  /** Whether an encoded request may be sent this way. */
  static boolean carry(Bytes request) {
    return !OutboundFragments.isLarge(request) && RequestCodec.isRead(request);
  }
}
