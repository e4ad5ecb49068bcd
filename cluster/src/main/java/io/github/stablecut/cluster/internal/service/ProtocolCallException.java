package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.error.UsageException;

/** A call is invalid, whatever the store's content. */
final class ProtocolCallException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong
   */
  ProtocolCallException(String message) {
    super(message);
  }
}
