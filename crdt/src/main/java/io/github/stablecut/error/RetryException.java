package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/** The request was refused in a state that passes: try again. Nothing was changed. */
public abstract non-sealed class RetryException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  protected RetryException(String message) {
    super(message, null);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  protected RetryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
