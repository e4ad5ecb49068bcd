package io.github.stablecut.error;

/** Thrown if a text is not a token. */
public final class InvalidTokenException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public InvalidTokenException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause
   */
  public InvalidTokenException(String message, Throwable cause) {
    super(message, cause);
  }
}
