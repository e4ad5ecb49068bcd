package io.github.stablecut.error;

/** Thrown if a store's files could not be read or written. */
public final class StoreIoException extends ReopenException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public StoreIoException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause
   */
  public StoreIoException(String message, Throwable cause) {
    super(message, cause);
  }
}
