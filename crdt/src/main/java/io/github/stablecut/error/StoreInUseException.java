package io.github.stablecut.error;

/** Thrown if a store's directory is open elsewhere. Nothing was changed. */
public final class StoreInUseException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StoreInUseException(String message) {
    super(message);
  }
}
