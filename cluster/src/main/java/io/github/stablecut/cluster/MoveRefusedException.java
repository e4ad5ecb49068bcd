package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** Thrown if a cluster refuses to move a partition, or to let a node leave or be replaced. */
public final class MoveRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the obstacle, with the facts, and what to do
   */
  public MoveRefusedException(String message) {
    super(message);
  }
}
