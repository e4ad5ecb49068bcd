package io.github.stablecut.client;

import io.github.stablecut.error.UsageException;
import org.jspecify.annotations.Nullable;

/** Thrown if a server understood a request and refused it. Nothing was changed. */
public final class RequestRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause, or null
   */
  public RequestRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
