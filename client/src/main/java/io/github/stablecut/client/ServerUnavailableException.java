package io.github.stablecut.client;

import io.github.stablecut.error.UnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if no server answers, or the one that answers can't serve the request. Nothing was
 * changed, except that {@code deleteRange} may have deleted some objects. A commit that may have
 * been executed throws {@link io.github.stablecut.error.OutcomeUnknownException} instead. The store
 * stays connected: repeat the call when a server is available.
 */
public final class ServerUnavailableException extends UnavailableException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause, or null
   */
  public ServerUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
