package io.github.stablecut;

import io.github.stablecut.error.RetryException;

/** A store's directory is open elsewhere. Nothing was changed. */
public final class StoreInUseException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StoreInUseException(String message) {
    super(message);
  }
}
