package io.github.stablecut.error;

import org.jspecify.annotations.Nullable;

/** The call is wrong and will be refused each time: mend the call. Nothing was changed. */
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
   * @param cause what was caught, or null
   */
  protected UsageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
