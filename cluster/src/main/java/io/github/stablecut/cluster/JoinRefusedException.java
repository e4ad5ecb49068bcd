package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** Thrown if a cluster refuses a node, or has removed it. */
public final class JoinRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the mismatch, with both values, and what to do
   */
  public JoinRefusedException(String message) {
    super(message);
  }
}
