package io.github.stablecut.error;

/** Thrown if a transaction could not be committed in time. It is aborted and has no effect. */
public final class TransactionTimeoutException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TransactionTimeoutException(String message) {
    super(message);
  }
}
