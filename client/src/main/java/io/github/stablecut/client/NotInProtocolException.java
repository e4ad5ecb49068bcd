package io.github.stablecut.client;

import io.github.stablecut.error.UsageException;

/**
 * A call to a remote store that can't be made from there: it belongs to the server's machine, or
 * the server does not know it. Nothing was changed.
 */
public final class NotInProtocolException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what can't be called, and what to do instead
   */
  public NotInProtocolException(String message) {
    super(message);
  }
}
