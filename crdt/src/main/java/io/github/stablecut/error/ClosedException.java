package io.github.stablecut.error;

/** Thrown if a part of a store was used after it was closed. */
public abstract class ClosedException extends ReopenException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is closed, and what to do
   */
  protected ClosedException(String message) {
    super(message);
  }
}
