package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;

/** Handles what links bring. Called on event loops, so no method blocks. Thread-safe. */
public interface LinkHandler {
  /** A request has arrived; its reply goes to the node that it names. */
  void onRequest(NodeMessage.RequestEnvelope request);

  /**
   * A message to a copy of a partition has arrived.
   *
   * @param sender the sender's clock
   */
  void onMessage(int partition, long sender, Bytes message);

  /**
   * A reply has arrived.
   *
   * @param sender the sender's clock
   */
  void onReply(long number, long sender, Bytes reply);

  /** A connection on which requests may have been sent is closed. */
  void onBroken(Links.Link link);

  /** Sends what links don't carry. */
  void send(String address, NodeMessage message);

  /** This node's clock. */
  long now();
}
