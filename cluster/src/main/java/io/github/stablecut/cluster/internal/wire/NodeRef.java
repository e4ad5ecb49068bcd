package io.github.stablecut.cluster.internal.wire;

import java.util.Optional;

/**
 * A reference to a running node, as the recipient of messages. References to the same node are
 * equal. Thread-safe.
 */
public interface NodeRef {
  /** Sends a message, which may be lost. Does not block. */
  void tell(NodeMessage message);

  /** Returns the node's address as {@code host:port}; empty for this node. */
  Optional<String> address();
}
