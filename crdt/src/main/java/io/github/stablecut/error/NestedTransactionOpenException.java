package io.github.stablecut.error;

/**
 * Thrown if a transaction is used or ended while a nested transaction is open. Nothing was changed,
 * and both stay open.
 */
public final class NestedTransactionOpenException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public NestedTransactionOpenException(String message) {
    super(message);
  }
}
