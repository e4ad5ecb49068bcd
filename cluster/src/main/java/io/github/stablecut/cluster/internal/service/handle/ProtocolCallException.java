package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.error.UsageException;

/** Thrown if a call is invalid, whatever the store's content. */
public final class ProtocolCallException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong
   */
  public ProtocolCallException(String message) {
    super(message);
  }
}
