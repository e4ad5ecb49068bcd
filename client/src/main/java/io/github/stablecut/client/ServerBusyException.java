package io.github.stablecut.client;

import io.github.stablecut.error.RetryException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a server can't execute a request now but may do so later: it is overloaded, another
 * transaction won a conflict, or its disk is full. Nothing was changed.
 */
public final class ServerBusyException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause, or null
   */
  public ServerBusyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
