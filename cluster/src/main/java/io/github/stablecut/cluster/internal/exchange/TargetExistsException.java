package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.error.UsageException;

/** Thrown if the target of a new file or directory already exists. Nothing was changed. */
public final class TargetExistsException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what exists, and what to do
   */
  public TargetExistsException(String message) {
    super(message);
  }
}
