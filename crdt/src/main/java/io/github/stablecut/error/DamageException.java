package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if bytes on disk or from another process are damaged: stop, and examine the location in
 * the message.
 */
public abstract non-sealed class DamageException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  protected DamageException(String message) {
    super(message, null);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the underlying exception, or null
   */
  protected DamageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
