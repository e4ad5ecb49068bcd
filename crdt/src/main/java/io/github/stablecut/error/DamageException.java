package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/**
 * Bytes on disk or from elsewhere are not what was written: stop, and look at the place that is
 * named.
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
   * @param cause what was caught, or null
   */
  protected DamageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
