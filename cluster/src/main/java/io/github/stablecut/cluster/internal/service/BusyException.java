package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.error.RetryException;

/** The server has reached a limit of what it may do at once. */
final class BusyException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the limit, and what to do
   */
  BusyException(String message) {
    super(message);
  }
}
