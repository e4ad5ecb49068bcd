package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/** This store object can do no more: close it, remove the cause, and open the directory again. */
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
   * @param cause what was caught, or null
   */
  protected ReopenException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
