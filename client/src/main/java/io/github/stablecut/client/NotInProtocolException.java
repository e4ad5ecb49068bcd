package io.github.stablecut.client;

import io.github.stablecut.error.UsageException;

/**
 * Thrown if a remote store does not support the call: it needs the server's machine, or the server
 * does not know it. Nothing was changed.
 */
public final class NotInProtocolException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the unsupported call, and the alternative
   */
  public NotInProtocolException(String message) {
    super(message);
  }
}
