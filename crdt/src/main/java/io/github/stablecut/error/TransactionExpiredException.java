package io.github.stablecut.error;

/** A transaction was open for longer than allowed and was ended. It had no effect. */
public final class TransactionExpiredException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TransactionExpiredException(String message) {
    super(message);
  }
}
