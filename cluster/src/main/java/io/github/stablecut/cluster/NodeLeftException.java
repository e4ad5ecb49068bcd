package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** Thrown if this node has left the cluster in an orderly way, as requested. */
public final class NodeLeftException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message names the node
   */
  public NodeLeftException(String message) {
    super(message);
  }
}
