package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** A partition can't be moved so, or a node can't leave or be replaced. */
public final class MoveRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what stands in the way, with the facts, and what to do
   */
  public MoveRefusedException(String message) {
    super(message);
  }
}
