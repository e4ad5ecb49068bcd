package io.github.stablecut.error;

/** Thrown if a transaction was open for longer than permitted and was ended. It has no effect. */
public final class TransactionExpiredException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TransactionExpiredException(String message) {
    super(message);
  }
}
