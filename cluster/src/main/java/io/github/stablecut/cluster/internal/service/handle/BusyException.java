package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.error.RetryException;

/** Thrown if the server has reached a limit of what it may do at once. */
public final class BusyException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the limit, and what to do
   */
  public BusyException(String message) {
    super(message);
  }
}
