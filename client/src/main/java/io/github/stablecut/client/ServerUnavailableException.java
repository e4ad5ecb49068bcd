package io.github.stablecut.client;

import io.github.stablecut.error.ReopenException;
import org.jspecify.annotations.Nullable;

/** A server doesn't answer, or can't. If it was to commit, nobody here knows whether it did. */
public final class ServerUnavailableException extends ReopenException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  public ServerUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
