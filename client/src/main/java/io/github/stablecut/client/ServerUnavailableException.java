package io.github.stablecut.client;

import io.github.stablecut.error.ReopenException;
import org.jspecify.annotations.Nullable;

/**
 * No server answers, or can. Nothing was changed, but for what {@code deleteRange} had deleted
 * before: a commit that may have been made is an {@link
 * io.github.stablecut.error.OutcomeUnknownException}. The store needs no opening again; repeat the
 * call when a server is there.
 */
public final class ServerUnavailableException extends ReopenException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught, or null
   */
  public ServerUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
