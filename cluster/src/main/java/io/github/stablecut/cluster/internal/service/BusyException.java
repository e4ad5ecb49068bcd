package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.error.RetryException;

/** The server has as much to do as it may. */
final class BusyException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what there is too much of, and what to do
   */
  BusyException(String message) {
    super(message);
  }
}
