package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;

/** How messages get to other nodes; each may be lost. Nothing of it blocks. Thread-safe. */
public interface Transport {
  /** Sends a message to the node that listens at an address. */
  void send(String address, NodeMessage message);

  /** Sends a request to a partition, wherever it is; loses it until partitions can be found. */
  void sendToPartition(NodeMessage.RequestEnvelope request);

  /** This node, which is told the answers. */
  NodeRef self();
}
