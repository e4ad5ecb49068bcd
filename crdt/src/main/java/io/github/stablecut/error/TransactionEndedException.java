package io.github.stablecut.error;

/** Thrown if a transaction was used after its end. */
public final class TransactionEndedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TransactionEndedException(String message) {
    super(message);
  }
}
