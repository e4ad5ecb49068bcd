package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.error.UsageException;

/** Where a file or directory is to be made there is something already. Nothing was changed. */
public final class TargetExistsException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is there, and what to do
   */
  public TargetExistsException(String message) {
    super(message);
  }
}
