package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * The server or node that a call needs can't be reached. Nothing was changed, and the store object
 * stays usable: repeat the call when it is reachable again.
 */
public abstract class UnavailableException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  protected UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
