package io.github.stablecut.error;

/**
 * A key, a value or a transaction is larger than allowed, and nothing was changed; or the sum of a
 * counter is larger than what a reader can be given.
 */
public final class LimitExceededException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public LimitExceededException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught
   */
  public LimitExceededException(String message, Throwable cause) {
    super(message, cause);
  }
}
