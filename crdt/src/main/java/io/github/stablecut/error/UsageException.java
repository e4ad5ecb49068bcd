package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/** Thrown for an invalid call, which is always refused: correct the call. Nothing was changed. */
public abstract non-sealed class UsageException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  protected UsageException(String message) {
    super(message, null);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the underlying exception, or null
   */
  protected UsageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
