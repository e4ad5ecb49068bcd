package io.github.stablecut.client;

import io.github.stablecut.error.RetryException;
import org.jspecify.annotations.Nullable;

/**
 * A server can't do now what it could do later: it has too much to do, another transaction was
 * first, or its disk is full. Nothing was changed.
 */
public final class ServerBusyException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  public ServerBusyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
