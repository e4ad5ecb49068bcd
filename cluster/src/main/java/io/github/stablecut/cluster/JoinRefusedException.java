package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** A node may not join a cluster, or not stay in it. */
public final class JoinRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what does not fit, with both values, and what to do
   */
  public JoinRefusedException(String message) {
    super(message);
  }
}
