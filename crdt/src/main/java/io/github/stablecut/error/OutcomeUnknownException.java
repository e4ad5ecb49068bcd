package io.github.stablecut.error;

/**
 * Thrown if it could not be determined in time whether a transaction committed. It has committed
 * completely or not at all. Read to find out, or use a session: a repeated request is executed at
 * most once.
 */
public final class OutcomeUnknownException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public OutcomeUnknownException(String message) {
    super(message, null);
  }
}
