package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a store object has become unusable: close it, remove the cause, and reopen the
 * directory.
 */
public abstract non-sealed class ReopenException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  protected ReopenException(String message) {
    super(message, null);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the underlying exception, or null
   */
  protected ReopenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
