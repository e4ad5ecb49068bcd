package io.github.stablecut.cluster.internal.wire;

import java.util.Optional;

/**
 * A running node as the recipient of messages. Two references to one node are equal. Thread-safe.
 */
public interface NodeRef {
  /** Sends a message; it may be lost. Does not block. */
  void tell(NodeMessage message);

  /** Where the node listens, as {@code host:port}; empty for this node. */
  Optional<String> address();
}
