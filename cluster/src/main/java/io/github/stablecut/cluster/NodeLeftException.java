package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** This node was told to leave the cluster, and has left it in order. */
public final class NodeLeftException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which node
   */
  public NodeLeftException(String message) {
    super(message);
  }
}
