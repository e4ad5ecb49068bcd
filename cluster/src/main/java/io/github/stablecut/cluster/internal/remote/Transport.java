package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;

/** Sends messages to other nodes; any may be lost. No method blocks. Thread-safe. */
public interface Transport {
  /** Sends a message to the node at an address. */
  void send(String address, NodeMessage message);

  /** Sends a request to the entity of a partition; loses it before sharding has started. */
  void sendToPartition(NodeMessage.RequestEnvelope request);

  /** This node, to which replies go. */
  NodeRef self();
}
