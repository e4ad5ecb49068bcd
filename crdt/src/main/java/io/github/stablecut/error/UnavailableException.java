package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the server or node that a call needs is unreachable. Nothing was changed, and the store
 * object stays usable: retry when the server is reachable again.
 */
public abstract class UnavailableException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the underlying exception, or null
   */
  protected UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
