package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/** Thrown if a request is refused in a transient state: retry it. Nothing was changed. */
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
   * @param cause the underlying exception, or null
   */
  protected RetryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
