package io.github.stablecut.error;

/** Thrown if a store was used after it was closed. */
public final class StoreClosedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StoreClosedException(String message) {
    super(message);
  }
}
