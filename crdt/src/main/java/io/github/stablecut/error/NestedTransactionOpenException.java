package io.github.stablecut.error;

/**
 * A transaction was used or ended while one that is nested in it was open. Nothing was changed, and
 * both are open.
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
