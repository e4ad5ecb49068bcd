package io.github.stablecut.client;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** A server understood a request and refused it. Nothing was changed. */
public final class RequestRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  public RequestRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
