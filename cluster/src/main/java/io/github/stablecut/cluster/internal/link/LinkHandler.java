package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;

/** Handles the events of links. Called on event loops, so no method blocks. Thread-safe. */
public interface LinkHandler {
  /** Handles a request; its reply goes to the node in the envelope. */
  void onRequest(NodeMessage.RequestEnvelope request);

  /**
   * Handles a message to a replica.
   *
   * @param sender the sender's clock
   */
  void onMessage(int partition, long sender, Bytes message);

  /**
   * Handles a reply.
   *
   * @param sender the sender's clock
   */
  void onReply(long number, long sender, Bytes reply);

  /** Handles the loss of a connection on which requests may have been sent. */
  void onBroken(Links.Link link);

  /** Sends a message that links don't carry. */
  void send(String address, NodeMessage message);

  /** Returns the time of this node's clock. */
  long now();
}
