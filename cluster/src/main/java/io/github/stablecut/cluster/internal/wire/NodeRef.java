package io.github.stablecut.cluster.internal.wire;

/**
 * A reference to the actor of a running node, as the recipient of messages about membership.
 * References to the same node are equal. Thread-safe.
 */
public interface NodeRef {
  /** Sends a message, which may be lost. Does not block. */
  void tell(NodeMessage message);
}
