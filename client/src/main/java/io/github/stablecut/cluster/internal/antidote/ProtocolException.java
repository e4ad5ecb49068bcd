package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.error.UsageException;

/**
 * Thrown for bytes that are no message of the protocol, or a message that requests something
 * impossible.
 */
public final class ProtocolException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, and what was expected
   */
  public ProtocolException(String message) {
    super(message);
  }
}
